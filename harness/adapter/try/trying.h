// Compiles binding candidates of a kernel, some at a time, and runs them until one is right.
//
// Right is, in this order: every case that is tried; every case with plain data; in both, other data for which it is
// not right is then left out of what is checked, and named; and right values where only the checked build finds fault
// with what a block does in its own memory. The last shows how a kernel is called, and the fault is its own: a wrong
// launch does not give right values. So is one right case beside a race in that memory, which spoils the values of
// others, and so are two of the file's own launch beside an access that is the kernel's. A fault that no arguments
// could cause is enough, too, and so is a candidate, likely by its names, of which most elements are right in every
// case: no wrong binding is, and the others are the kernel's bug. So is what the file's own launch ends in whenever it
// is tried, where only the op's form is open of it, or, of a race within a block, which tensors its pointers are. Last,
// a candidate whose outputs are near the right ones in larger cases, where one lost row or term is a small part: a
// kernel that reads another tensor, or along another dim, writes something unrelated.
//
// They are tried in batches, likeliest first, and each batch learns from the ones before (try/suspects.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/adapter/build/compiled.h"
#include "harness/adapter/prepared.h"

namespace assay {

// A candidate that was taken.
struct Found {
  size_t candidate = 0;
  std::vector<Domain> ranges = {};         // choices of attributes, where not all of them are right
  std::vector<std::string> left_out = {};  // "ids = out_of_range (OUT_OF_BOUNDS: …)"
  std::string fault = {};                  // what the checked build finds although the values are right
  bool is_nearly_right = false;            // most elements of all cases are right
  double distance = 0;                     // of outputs in larger cases, as a share of the right ones, where they are
                                           // near and most elements are not right
  bool is_right_elsewhere = false;         // cases are right, and the finding of others is the kernel's
  int as_launched = 0;                     // the line of the file's own launch, under which elements stay unwritten
  bool is_certain = false;                 // the fault is the kernel's whatever it is given, and values were not seen
};

// Compiles variants into one module, of the build that sees most or of the one that sees values, and loads it.
using LoadAdapters = std::function<Result<void>(const std::vector<Adapter>& adapters, Sees sees)>;

class Trying {
 public:
  Trying(const Adapter& common, const TryAdapters& try_adapters, LoadAdapters load);

  // The first of `candidates` that is right; those that do not compile are passed over. The error is the compiler's
  // where none does.
  Result<std::optional<Found>> first_right(const std::vector<Inferred>& candidates);

  // The candidate that differs from a right one in nothing but its launch, which is the file's own and leaves elements
  // unwritten, or in parts of blocks, whose threads wait in vain or go past the size that they compare their index
  // with: that is the kernel's bug, and no other launch and no fewer cases take its place. Nor does another call take
  // the place of the file's own of which nine tenths of the elements are right. Without a fault: it is right, too,
  // where data are left out for the other.
  std::optional<Found> as_launched(const std::vector<Inferred>& candidates, const Found& right);

  // The candidate with the file's launch that is wrong where a right one, which is nothing else, holds a size to 1 or
  // to whole blocks. A guess of the launch may be what is wrong, or the kernel.
  std::optional<size_t> hidden_by(const std::vector<Inferred>& candidates, const Found& right) const;

  size_t tried() const { return missed_.size(); }
  // The finding of the first candidate, where a case shows of each that it is wrong; else "".
  std::string wrong_in_all() const;
  // The candidate that came nearest to being right.
  size_t nearest() const;
  // Why none is right: distinct reasons, of the candidates that came nearest first, each with the call that it is
  // about.
  std::vector<std::string> reasons(const std::vector<Inferred>& candidates) const;

 private:
  struct Missed {
    size_t candidate;
    TriedCandidate result;
    std::string id;    // of the variant that was loaded for it
    AttrChoices with;  // which the result is for; empty: for all
  };

  std::vector<std::vector<size_t>> parts(const std::vector<Adapter>& batch, std::optional<Error>& error);
  bool load(const std::vector<Adapter>& batch, const std::vector<size_t>& which, std::optional<Error>& error);
  Adapter named(const Inferred& candidate) const;
  static std::string id_of(const Adapter& adapter);
  bool is_right(const Inferred& candidate);
  TriedCandidate in_larger_cases(const std::string& id, const TriedCandidate& right, const AttrChoices& with) const;
  bool is_found_in_one_warp(Inferred candidate, const std::string& finding) const;
  static bool is_likely(const Missed& missed, const std::vector<Inferred>& candidates);
  std::optional<Found> with_plain_data(const std::vector<std::string>& ids, const std::vector<size_t>& candidates,
                                       const std::vector<Inferred>& all);
  Found kinds_of_data(const std::string& id, size_t candidate, const std::vector<Inferred>& all,
                      const AttrChoices& plain);
  std::optional<Found> with_right_values(const std::vector<Inferred>& candidates);
  std::optional<Found> whatever_is_given(const std::vector<Inferred>& candidates) const;
  std::optional<Found> of_the_likeliest(const std::vector<Inferred>& candidates, bool by_values) const;
  std::optional<Found> nearly_right(const std::vector<Inferred>& candidates) const;
  std::optional<Found> near_by_value(const std::vector<Inferred>& candidates) const;
  std::vector<Missed> nearest_first() const;

  const Adapter& common_;  // what all of them share
  const TryAdapters& try_adapters_;
  const LoadAdapters load_;
  inline static size_t named_ = 0;  // in this process: modules stay loaded, and so do names
  std::vector<Missed> missed_;
};

}  // namespace assay

// Collects what the checks find in one launch: equal findings are folded, sentences are made at the end.
//
// One finding for each kind and pair of lines, with a count: a missing barrier is one mistake, not a million.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "harness/simt/checked/hook_state.h"
#include "harness/simt/include/simt/vector_types.h"
#include "harness/simt/runtime/finding.h"

namespace assay::simt::checked {

// One side of a finding.
struct Party {
  const void* pc = nullptr;  // return address of the hook; nullptr: not known
  Access access = Access::read;
  bool copying = false;       // the write is a cp.async under way
  const char* act = nullptr;  // what is no access: "wait"
  uint64_t block = 0;         // by number in the grid
  uint32_t thread = 0;        // by number in the block
  bool others_too = false;    // it is one of several threads
  bool one_warp = false;      // and all of these are of its warp
  bool other_blocks = false;  // and some of these are of other blocks
  bool thread_known = true;
};

struct Report {
  Kind kind = Kind::none;
  Party me;
  Party earlier;               // races only
  std::string place;           // "shared tile[3]", "dx[17]"
  std::string what;            // what is wrong, after the place and the thread; "": a race, whose parties say it
  const char* hint = nullptr;  // of a race, in place of the usual one
};

class FindingLog {
 public:
  static constexpr size_t kDistinctMax = 20;

  void begin_launch(const char* kernel, const dim3& grid, const dim3& block);

  // Whether a finding like this has no words yet; counts it if it has. Asked first, because words are dear.
  bool is_new(Kind kind, const void* pc, const void* earlier_pc, const void* detail = nullptr);
  void add(Report report);
  Findings take();

 private:
  struct Entry {
    Report report;
    uint64_t count = 1;
  };
  std::string words(const Entry& entry) const;
  std::string words(const Party& party, bool with_block) const;

  const char* kernel_ = "";
  dim3 grid_, block_;
  std::map<std::tuple<Kind, const void*, const void*, const void*>, size_t> known_;
  std::vector<Entry> entries_;
  uint64_t left_out_ = 0;
};

}  // namespace assay::simt::checked

// Learns from binding candidates that failed which of the others will fail likewise.
//
// Candidates that end in one finding, at one line, share what causes it: a pointer that is taken as absent and read, a
// grid that is too small. The choices that all of them have are suspect, and a candidate that makes every one of these
// choices again is put behind those that do not. As more of them fail the same way, fewer choices stay suspect.
// Besides, a choice wears out: the more candidates failed with it, whatever the finding, the later come others that
// make it and require the same of their cases: what fails for any sizes may be right for whole tiles.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/adapter/bind/infer.h"

namespace assay {

// The kind and place of a finding, without the numbers of one case.
std::string gist(const std::string& finding);

class Suspects {
 public:
  explicit Suspects(const std::vector<Inferred>& candidates);

  // The candidates that are to be tried next, by their places, at most `count_max`; each is given out once. The
  // likeliest come first: by cost, with the suspicion added to it.
  std::vector<size_t> next(size_t count_max);

  // A candidate that was tried ended in `finding`, which may be a compiler's error.
  void failed(size_t candidate, const std::string& finding);

 private:
  using Choices = std::set<std::string>;  // "arg 2 is nullptr", "grid is T": every candidate has as many
  static Choices choices_of(const Inferred& candidate);
  int suspicion(size_t candidate) const;

  std::vector<int> costs_;
  std::vector<std::string> requires_;
  std::vector<Choices> choices_;
  std::vector<size_t> left_;
  struct Shared {
    Choices choices;
    size_t count = 0;
  };
  std::map<std::string, Shared> shared_;  // by the gist of a finding
  struct Wear {
    std::map<std::string, size_t> fails;  // by choice
    size_t failed = 0;
  };
  std::map<std::string, Wear> wear_;  // by what the candidates require
};

}  // namespace assay

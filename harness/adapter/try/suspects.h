// Learns from binding candidates that failed which of the others will fail likewise.
//
// Candidates that end in the same finding at the same line share its cause: a null pointer that is read, a grid that is
// too small. The choices that all of them have are suspect, and a candidate that makes every one of these choices again
// is put behind those that do not. As more of them fail the same way, fewer choices stay suspect.
// Besides, a choice wears out: the more candidates failed with it, whatever the finding, the later come others with
// that choice. This is counted for each set of requirements apart, because a choice that fails for any sizes may be
// right for sizes of whole tiles.
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

  // The indices of the candidates to be tried next, at most `count_max`; each is given out once. The
  // likeliest come first: by cost, with the suspicion added to it.
  std::vector<size_t> next(size_t count_max);

  // A candidate that comes before all others now, if it has not been given out.
  void prefer(size_t candidate) { preferred_.insert(candidate); }

  // A candidate that was tried ended in `finding`, which may be a compiler's error.
  void failed(size_t candidate, const std::string& finding);

 private:
  using Choices = std::set<std::string>;  // "arg 2 is nullptr", "grid is T": one for each of a candidate's parts
  static Choices choices_of(const Inferred& candidate);
  int suspicion(size_t candidate) const;

  std::vector<int> costs_;
  std::vector<std::string> requires_;
  std::vector<Choices> choices_;
  std::vector<size_t> left_;
  std::set<size_t> preferred_;
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

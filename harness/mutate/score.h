// The score of a suite against mutants: how many it kills, by which kinds, and after how many cases.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/mutate/trial_of_mutant.h"

namespace assay {

// Counts of results; of one kind, or of all.
struct Tally {
  std::map<Fate, int64_t> fates;
  std::vector<int64_t> cases;  // that each kill took

  int64_t of(Fate fate) const;
  int64_t planted() const;  // all
  // Mutants that are no equivalents, and those of them that survive. Where all output bits are equal nobody knows
  // whether a mutant is one; `equal_bits_are_equivalent` decides it.
  int64_t told_apart(bool equal_bits_are_equivalent) const;
  double score(bool equal_bits_are_equivalent) const;  // the killed share of these, from 0 to 1; 1 where there are none
};

Tally tally_of(const std::vector<MutantResult>& results);

// "Killed: 97 of 98 that are not known to be equivalent, 99.0 %.", with the other score where there is one.
std::string score_line(const std::vector<MutantResult>& results);
// The table by kinds, and that line under it.
std::string score_text(const std::vector<MutantResult>& results);

// A survivor for people: its title, the reason, and its diff.
std::string survivor_text(const MutantResult& result);

// A result as a line of JSON, without a line end, and back. `key` says of which suite and text it is. Errors: a line
// that is none of these.
std::string to_line(const MutantResult& result, const std::string& key);
Result<MutantResult> result_from_line(const std::string& line, std::string& key);

}  // namespace assay

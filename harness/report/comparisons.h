// Every comparison that a bug's cases may share, as the set of cases that meet it.
#pragma once

#include <string>
#include <vector>

#include "harness/case/case.h"

namespace assay {

struct Comparison {
  std::string holds, else_holds;  // "cols > 64", "cols <= 64"
  int cost = 0;                   // what reads simpler comes first
  std::vector<bool> met;          // by case
  std::string adapter = {};       // what leaves such cases out, where `requires` cannot say it
};

struct Comparisons {
  std::vector<Comparison> all;  // each set of cases once, by the comparison that reads simplest; sorted by that
  double tried = 0;             // with those that were left out because their numbers cannot fit
};

// The first `failing` of the cases fail. Every case has the same dims and attributes.
Comparisons comparisons(const std::vector<Case>& cases, size_t failing);

}  // namespace assay

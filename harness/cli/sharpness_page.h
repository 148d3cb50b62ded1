// The page that `assay sharpness --markdown` writes: reports/sharpness.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/judge/sharpness.h"
#include "harness/search/suite.h"

namespace assay {

struct SharpnessOutput {
  std::string op;
  DType dtype;  // of the case
  std::string name;
  std::vector<Sharpness> rules = {kRules.begin(), kRules.end()};
  std::array<std::map<std::string, int64_t>, Sharpness::kSteps.size()> torch_alone = {};  // elements by fill
};

// The outputs of an op over its first random cases of each dtype, so many, within the suite's limits.
std::vector<SharpnessOutput> sharpness_of(const Contract& op, const SuiteCounts& counts, uint64_t seed, int64_t cases);

std::string power_text(const Sharpness& rule);                 // "2^-20", "none"
std::string percent_text(const Sharpness& rule, size_t step);  // of the elements off by the step, those told: "99.2"

std::string sharpness_page(const std::vector<SharpnessOutput>& outputs, const SharpnessArguments& arguments);

}  // namespace assay

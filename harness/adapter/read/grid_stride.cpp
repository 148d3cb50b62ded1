// Looking at each sum that has blockIdx or gridDim.
#include "harness/adapter/read/grid_stride.h"

#include <algorithm>

namespace assay {
namespace {

// Whether blocks are in a sum only as blockIdx.x * blockDim.x, and the grid not at all.
bool counts_threads(const Terms& sum) {
  return !mentions(sum, "gridDim") && std::ranges::all_of(sum, [](const Term& term) {
    return (has(term, "blockDim.x") && counts_threads(term.of)) ||
           (counts_threads(term.of) && std::ranges::none_of(term.factors, [](const std::string& factor) {
              return factor.find("blockIdx") != factor.npos && factor.find("blockDim.x*blockIdx.x") == factor.npos;
            }));
  });
}

}  // namespace

bool strides_by_grid(const KernelSource& kernel) {
  const BodyFacts& facts = kernel.facts;
  if (facts.uses("gridDim", "yz") || facts.uses("blockIdx", "yz")) return false;
  for (const char* call : {"this_grid", "__threadfence", "atomicInc", "atomicDec"})
    if (facts.calls.contains(call)) return false;
  bool strides = false;
  for (const BodyVariable& each : facts.variables) {
    const bool by_grid = std::ranges::any_of(each.steps, [](const Terms& step) { return mentions(step, "gridDim.x"); });
    strides |= by_grid;
    const bool is_begin = by_grid && text_of(each.begin) == "blockIdx.x";
    if (each.varies && !is_begin && !counts_threads(each.begin)) return false;
  }
  const auto is_whole = [](const auto& all, auto part) {
    return std::ranges::all_of(all, [&](const auto& each) { return counts_threads(each.*part); });
  };
  return strides && is_whole(facts.accesses, &BodyAccess::index) &&
         is_whole(facts.comparisons, &BodyComparison::left) && is_whole(facts.comparisons, &BodyComparison::right) &&
         std::ranges::all_of(facts.others, counts_threads);
}

}  // namespace assay

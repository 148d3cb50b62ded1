// Making the plan of a bench.
#include "harness/bench/bench_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/bench/measure.h"
#include "harness/op/registry.h"
#include "harness/search/plan.h"
#include "harness/search/scale_down.h"

namespace assay {
namespace {

using Variants = std::vector<const Variant*>;

// Those of `selected` that the line names; with them the vendors' of the same op.
Variants candidates_of(const Case& line, const Variants& selected, const std::string& device) {
  Variants chosen;
  for (const Variant* variant : selected)
    if (variant->op == line.op && (line.variant == kEveryVariant || line.variant == variant->name))
      chosen.push_back(variant);
  if (chosen.empty()) return chosen;
  for (const Variant* variant : variants()) {
    const bool is_vendor = variant->op == line.op && variant->device == device && !variant->vendor.empty();
    if (is_vendor && std::ranges::find(chosen, variant) == chosen.end()) chosen.push_back(variant);
  }
  std::ranges::sort(chosen, [](const Variant* a, const Variant* b) { return a->name < b->name; });
  return chosen;
}

// Adds the case, or its lines to an equal one that is there already.
void add(BenchCase one, std::vector<BenchCase>& cases) {
  for (BenchCase& known : cases) {
    if (!(known.c == one.c) || known.candidates != one.candidates) continue;
    known.stands_for.insert(known.stands_for.end(), one.stands_for.begin(), one.stands_for.end());
    return;
  }
  cases.push_back(std::move(one));
}

}  // namespace

Result<BenchPlan> plan_bench(const Suite& suite, const std::vector<std::string>& select, const std::string& device) {
  const auto selected = ASSAY_TRY(select_variants(select.empty() ? suite.select : select, device));
  BenchPlan plan;
  for (const BenchLine& line : suite.bench) {
    Variants candidates = candidates_of(line.c, selected, device);
    const bool named = line.c.variant != kEveryVariant;
    if (named && !find_variant(line.c.op, line.c.variant, device))
      plan.skipped.push_back(
          row_for(line.c, device, Kind::skipped,
                  fmt::format("{}: this build has no variant {} for {}", suite.path, line.c.id(), device)));
    if (candidates.empty()) continue;
    Case c = line.c;
    c.variant = kEveryVariant;
    add({std::move(c), {line}, std::move(candidates)}, plan.cases);
  }
  if (plan.cases.empty())
    return fail(fmt::format("suite '{}' has no bench line for what is selected", suite.name),
                fmt::format("add a [[bench]] table with its op to {}, or select other ops", suite.path));
  return plan;
}

BenchPlan scaled_down(BenchPlan plan, const GenerateLimits& limits, const std::string& device) {
  BenchPlan small;
  small.skipped = std::move(plan.skipped);
  for (BenchCase& one : plan.cases) {
    auto c = scaled_down(*find_op(one.c.op), one.c, limits);
    if (c) {
      one.c = *std::move(c);
      add(std::move(one), small.cases);
      continue;
    }
    const std::string reason =
        fmt::format("too expensive for the executor however small its dims are: more than {} elements or {} operations",
                    limits.elements_max, limits.flops_max);
    for (const Variant* variant : one.candidates)
      small.skipped.push_back(row_for(case_for(one.c, *variant), device, Kind::skipped, reason));
  }
  return small;
}

}  // namespace assay

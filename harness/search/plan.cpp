// Making the plan.
#include "harness/search/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/op/registry.h"
#include "harness/search/generate.h"
#include "harness/search/regressions.h"

namespace assay {
namespace {

bool selected(const std::vector<const Variant*>& variants, const Case& c) {
  return std::any_of(variants.begin(), variants.end(),
                     [&](const Variant* v) { return v->op == c.op && v->name == c.variant; });
}

ResultRow skipped_row(const Case& c, const std::string& device, std::string why) {
  ResultRow row;
  row.case_line = print(c);
  row.op = c.op;
  row.variant = c.variant;
  row.dtype = c.dtype;
  row.device = device;
  row.verdict = Kind::skipped;
  row.detail = std::move(why);
  return row;
}

class Planner {
 public:
  Planner(const Suite& suite, const PlanOptions& options, std::vector<const Variant*> variants)
      : suite_(suite), options_(options), variants_(std::move(variants)) {}

  std::optional<Error> add_line(const std::string& file, const std::string& line) {
    const Result<Case> c = read_case(line);
    if (!c) return Error{file + ": " + c.error().what, c.error().mend};
    if (selected(variants_, *c)) {
      add(*c);
    } else if (!find_variant(c->op, c->variant, options_.device)) {
      plan_.skipped.push_back(skipped_row(
          *c, options_.device, fmt::format("{}: this build has no variant {} for {}", file, c->id(), options_.device)));
    }
    return std::nullopt;
  }

  void add_random() {
    for (const Variant* variant : variants_) {
      const Contract& contract = *find_op(variant->op);
      const SuiteCounts& counts = suite_.counts_of(variant->op);
      for (const DType dtype : contract.dtypes) {
        if (std::find(variant->dtypes.begin(), variant->dtypes.end(), dtype) == variant->dtypes.end()) continue;
        const int64_t wanted = options_.cases.value_or(counts.cases);
        // Small domains repeat themselves; look a few times further for cases that are new.
        for (int64_t index = 0, added = 0; added < wanted && index < 4 * wanted + 16; ++index)
          added += add(generate_case(contract, *variant, dtype, options_.seed, index, {counts.elements_max}));
      }
    }
  }

  Plan take() && { return std::move(plan_); }

 private:
  bool add(const Case& c) {
    if (!seen_.insert(print(c)).second) return false;
    plan_.cases.push_back(c);
    return true;
  }

  const Suite& suite_;
  const PlanOptions& options_;
  std::vector<const Variant*> variants_;
  std::set<std::string> seen_;
  Plan plan_;
};

}  // namespace

Result<std::vector<const Variant*>> select_variants(const std::vector<std::string>& patterns,
                                                    const std::string& device) {
  std::set<const Variant*> chosen;
  std::vector<std::string> known;
  for (const Variant* variant : variants()) {
    if (variant->device != device) continue;
    known.push_back(variant->op);
    known.push_back(variant->op + "/" + variant->name);
  }
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const std::string& pattern : patterns) {
    if (pattern.ends_with(".cu"))
      return fail(fmt::format("'{}' is a file, and SELECT names ops and variants", pattern),
                  "put the kernel into kernels/<op>/ and build; the README shows how");
    bool any = false;
    for (const Variant* variant : variants()) {
      if (variant->device != device || !selects(pattern, *variant)) continue;
      chosen.insert(variant);
      any = true;
    }
    if (!any)
      return fail(fmt::format("'{}' selects no variant for device {}", pattern, device), suggestion(pattern, known));
  }
  std::vector<const Variant*> in_order;
  for (const Variant* variant : variants())
    if (chosen.count(variant)) in_order.push_back(variant);
  return in_order;
}

Result<Plan> make_plan(const Suite& suite, const PlanOptions& options) {
  auto variants = select_variants(options.select.empty() ? suite.select : options.select, options.device);
  if (!variants) return tl::unexpected(variants.error());
  Planner planner(suite, options, std::move(*variants));
  const auto saved = read_regressions(options.regressions);
  if (!saved) return tl::unexpected(saved.error());
  for (const SavedCase& regression : *saved)
    if (auto error = planner.add_line(regression.path, regression.line)) return tl::unexpected(*error);
  for (const std::string& line : suite.pinned)
    if (auto error = planner.add_line(suite.path, line)) return tl::unexpected(*error);
  planner.add_random();
  Plan plan = std::move(planner).take();
  if (plan.cases.empty())
    return fail("no case is selected", "give --cases a number above 0, or select more ops ('assay list')");
  return plan;
}

}  // namespace assay

// Making the plan.
#include "harness/search/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/device/device.h"
#include "harness/op/registry.h"
#include "harness/search/generate.h"
#include "harness/search/regressions.h"

namespace assay {
namespace {

bool selected(const std::vector<const Variant*>& variants, const Case& c) {
  return std::any_of(variants.begin(), variants.end(),
                     [&](const Variant* v) { return v->op == c.op && v->name == c.variant; });
}

struct PlannedTask {
  Task task;
  double before;  // what part of the random cases of its variant, dtype and device comes before it; or kLineOfAFile
};

constexpr double kLineOfAFile = -1;

// A kernel that is wrong in every other case passes those in which it has nothing to do: a short run must not consist
// of them.
constexpr int64_t kFull = 4;

bool writes_nothing(const Contract& contract, const Case& c) {
  return std::any_of(contract.tensors.begin(), contract.tensors.end(), [&](const TensorSpec& spec) {
    const std::vector<int64_t> shape = shape_of(spec, c);
    return spec.role != Role::input && std::find(shape.begin(), shape.end(), 0) != shape.end();
  });
}

// One device's part of the plan.
class Planner {
 public:
  Planner(const Suite& suite, const PlanOptions& options, std::string device, std::vector<const Variant*> variants,
          std::vector<PlannedTask>& tasks, Plan& plan)
      : suite_(suite),
        options_(options),
        device_(std::move(device)),
        variants_(std::move(variants)),
        tasks_(tasks),
        plan_(plan) {}

  std::optional<Error> add_line(const std::string& file, const std::string& line) {
    const Result<Case> c = read_case(line);
    if (!c) return Error{file + ": " + c.error().what, c.error().hint};
    if (selected(variants_, *c)) {
      add(*c, kLineOfAFile);
    } else if (!find_variant(c->op, c->variant, device_)) {
      plan_.skipped.push_back(row_for(*c, device_, Kind::skipped,
                                      fmt::format("{}: this build has no variant {} for {}", file, c->id(), device_)));
    }
    return std::nullopt;
  }

  // `cases` for each variant and dtype.
  void add_random(int64_t SuiteCounts::*cases) {
    for (const Variant* variant : variants_) {
      const Contract& contract = *find_op(variant->op);
      const SuiteCounts& counts = suite_.counts_of(variant->op);
      for (const DType dtype : contract.dtypes) {
        if (std::find(variant->dtypes.begin(), variant->dtypes.end(), dtype) == variant->dtypes.end()) continue;
        int64_t wanted = counts.*cases;
        if (options_.cases) wanted = cases == &SuiteCounts::cases ? *options_.cases : std::min(wanted, *options_.cases);
        const GenerateLimits limits{counts.elements_max, counts.flops_max, counts.threads_max};
        add_random(contract, *variant, dtype, wanted, limits);
      }
    }
  }

 private:
  void add_random(const Contract& contract, const Variant& variant, DType dtype, int64_t wanted,
                  const GenerateLimits& limits) {
    int64_t added = 0;
    const auto add_one = [&](const Case& c) {
      if (added < wanted) added += add(c, static_cast<double>(added) / static_cast<double>(wanted));
    };
    std::vector<Case> empty;  // those before the first kFull others
    // Small domains repeat themselves; look a few times further for cases that are new.
    for (int64_t index = 0; added < wanted && index < 4 * wanted + 16; ++index) {
      const Case c = generate_case(contract, variant, dtype, options_.seed, index, limits);
      if (added < kFull && writes_nothing(contract, c)) {
        empty.push_back(c);
        continue;
      }
      add_one(c);
      if (added == kFull) std::for_each(empty.begin(), empty.end(), add_one), empty.clear();
    }
    std::for_each(empty.begin(), empty.end(), add_one);
  }

  bool add(const Case& c, double before) {
    if (!seen_.insert(print(c)).second) return false;
    tasks_.push_back({{c, device_, options_.extras}, before});
    return true;
  }

  const Suite& suite_;
  const PlanOptions& options_;
  std::string device_;
  std::vector<const Variant*> variants_;
  std::set<std::string> seen_;
  std::vector<PlannedTask>& tasks_;
  Plan& plan_;
};

// Without an error where a pattern selects none: host functions and vendors' libraries have no checked build.
std::vector<const Variant*> selected_variants(const std::vector<std::string>& patterns, const std::string& device) {
  std::vector<const Variant*> chosen;
  for (const Variant* variant : variants()) {
    const auto selects_it = [&](const std::string& pattern) { return selects(pattern, *variant); };
    if (variant->device == device && std::any_of(patterns.begin(), patterns.end(), selects_it))
      chosen.push_back(variant);
  }
  return chosen;
}

}  // namespace

Result<std::vector<const Variant*>> select_variants(const std::vector<std::string>& patterns,
                                                    const std::string& device) {
  std::vector<std::string> known;
  for (const Variant* variant : variants()) {
    if (variant->device != device) continue;
    known.push_back(variant->op);
    known.push_back(variant->op + "/" + variant->name);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const std::string& pattern : patterns)
    if (selected_variants({pattern}, device).empty())
      return fail(fmt::format("'{}' selects no variant for device {}", pattern, device),
                  known.empty() ? "this program has none for it" : suggestion(pattern, known));
  return selected_variants(patterns, device);
}

Result<Plan> make_plan(const Suite& suite, const PlanOptions& options) {
  if (!suite.bench.empty() && suite.pinned.empty())
    return fail(fmt::format("suite '{}' names what to time, and no case to check", suite.name),
                fmt::format("run `assay bench --suite {}`, or check another suite", suite.name));
  const std::vector<std::string>& select = options.select.empty() ? suite.select : options.select;
  const std::string device = options.device.empty() ? options.default_device : options.device;
  auto variants = select_variants(select, device);
  if (!variants) return tl::unexpected(variants.error());
  const auto saved = read_regressions(options.regressions);
  if (!saved) return tl::unexpected(saved.error());
  Plan plan;
  std::vector<PlannedTask> tasks;
  Planner planner(suite, options, device, std::move(*variants), tasks, plan);
  for (const SavedCase& regression : *saved)
    if (auto error = planner.add_line(regression.path, regression.line)) return tl::unexpected(*error);
  for (const std::string& line : suite.pinned)
    if (auto error = planner.add_line(suite.path, line)) return tl::unexpected(*error);
  planner.add_random(&SuiteCounts::cases);
  if (options.device.empty() && suite.has_checked()) {
    Planner checked_planner(suite, options, kCheckedDevice, selected_variants(select, kCheckedDevice), tasks, plan);
    for (const SavedCase& regression : *saved)
      if (auto error = checked_planner.add_line(regression.path, regression.line)) return tl::unexpected(*error);
    checked_planner.add_random(&SuiteCounts::checked);
  }
  if (options.by_turns)
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const PlannedTask& a, const PlannedTask& b) { return a.before < b.before; });
  for (PlannedTask& planned : tasks) plan.tasks.push_back(std::move(planned.task));
  if (plan.tasks.empty())
    return fail("no case is selected", "give --cases a number above 0, or select more ops ('assay list')");
  return plan;
}

}  // namespace assay

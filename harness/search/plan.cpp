// Making the plan.
#include "harness/search/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "harness/adapter/user_kernels.h"
#include "harness/base/rng.h"
#include "harness/device/device.h"
#include "harness/op/huge.h"
#include "harness/op/registry.h"
#include "harness/search/generate.h"
#include "harness/search/huge_cases.h"
#include "harness/search/regressions.h"

namespace assay {
namespace {

constexpr const char* kSampledDevice = "cpu";  // the one that runs sampled blocks

bool selected(const std::vector<const Variant*>& variants, const Case& c) {
  return std::ranges::any_of(variants, [&](const Variant* v) { return v->op == c.op && v->name == c.variant; });
}

// It is no error if a pattern selects none: host functions and vendors' libraries have no checked build.
std::vector<const Variant*> selected_variants(const std::vector<std::string>& patterns, const std::string& device) {
  std::vector<const Variant*> chosen;
  for (const Variant* variant : variants()) {
    const auto selects_it = [&](const std::string& pattern) { return selects(pattern, *variant); };
    if (variant->device == device && std::ranges::any_of(patterns, selects_it)) chosen.push_back(variant);
  }
  return chosen;
}

}  // namespace

// One device's part of the plan.
class Planner {
 public:
  Planner(const Suite& suite, const PlanOptions& options, std::string device, std::vector<const Variant*> variants,
          Plan::Part& part, Plan& plan)
      : suite_(suite),
        options_(options),
        device_(std::move(device)),
        variants_(std::move(variants)),
        part_(part),
        plan_(plan) {}

  std::optional<Error> add_line(const std::string& file, const std::string& line) {
    const Result<Case> c = read_case(line);
    if (!c) return Error{file + ": " + c.error().what, c.error().hint};
    if (selected(variants_, *c)) {
      if (seen_->insert(print(*c)).second) part_.lines.push_back({*c, device_, options_.extras});
    } else if (!find_variant(c->op, c->variant, device_)) {
      plan_.skipped_.push_back(row_for(*c, device_, Kind::skipped,
                                       fmt::format("{}: this build has no variant {} for {}", file, c->id(), device_)));
    }
    return std::nullopt;
  }

  // For each variant and dtype; of a suite, for one of each op, which the seed chooses, and without the user's: --huge
  // asks for theirs.
  void add_huge() {
    if (options_.huge == HugeCases::of_suite && !suite_.huge) return;
    std::map<std::string, std::vector<std::pair<const Variant*, DType>>> by_op;
    for (const Variant* variant : variants_) {
      const bool is_users = !origin_of_variant(variant->op + "/" + variant->name).source.empty();
      if (is_users && options_.huge == HugeCases::of_suite) continue;
      for (const DType dtype : find_op(variant->op)->dtypes)
        if (std::ranges::find(variant->dtypes, dtype) != variant->dtypes.end())
          by_op[variant->op].emplace_back(variant, dtype);
    }
    for (auto& [op, kinds] : by_op) {
      if (options_.huge == HugeCases::of_suite) kinds = {kinds[options_.seed % kinds.size()]};
      for (const auto& [variant, dtype] : kinds) add_huge(*variant, dtype);
    }
  }

  // `cases` for each variant and dtype.
  void add_random(int64_t SuiteCounts::*cases) {
    for (const Variant* variant : variants_) {
      const SuiteCounts& counts = suite_.counts_of(variant->op);
      for (const DType dtype : find_op(variant->op)->dtypes) {
        if (std::ranges::find(variant->dtypes, dtype) == variant->dtypes.end()) continue;
        int64_t wanted = counts.*cases;
        if (options_.cases) wanted = cases == &SuiteCounts::cases ? *options_.cases : std::min(wanted, *options_.cases);
        Task kind{{}, device_, options_.extras};
        kind.c.dtype = dtype;
        part_.random.emplace_back(*variant, kind, options_.seed, wanted,
                                  GenerateLimits{counts.elements_max, counts.flops_max, counts.threads_max}, seen_);
      }
    }
  }

 private:
  void add_huge(const Variant& variant, DType dtype) {
    const Contract& contract = *find_op(variant.op);
    auto cases = huge_cases(contract, variant, dtype, options_.seed);
    const bool of_suite = options_.huge == HugeCases::of_suite;
    if (cases && of_suite) {  // sizes for an int are for kernels of which nobody knows whether they take more
      std::vector<Case> longest = *cases;
      std::erase_if(longest, [&](const Case& c) { return largest_tensor(contract, c) <= int64_t{1} << 32; });
      if (longest.empty()) longest = *cases;
      cases = std::vector<Case>{longest[options_.seed % longest.size()]};
    }
    for (const Case& c : cases.value_or(std::vector<Case>{}))
      if (seen_->insert(print(c)).second) part_.lines.push_back({c, device_, options_.extras});
    if (cases || of_suite) return;
    const Case small = generate_case(contract, variant, dtype, options_.seed, 0, {});
    plan_.skipped_.push_back(row_for(small, device_, Kind::unsupported, cases.error().line()));
  }

  const Suite& suite_;
  const PlanOptions& options_;
  std::string device_;
  std::vector<const Variant*> variants_;
  std::shared_ptr<std::set<std::string>> seen_ = std::make_shared<std::set<std::string>>();
  Plan::Part& part_;
  Plan& plan_;
};

std::optional<Task> Plan::take() {
  for (Part& part : parts_) {
    if (part.lines_taken < part.lines.size()) return part.lines[part.lines_taken++];
    for (;;) {
      RandomCases* chosen = nullptr;  // by turns, the one that lags behind most; else the first
      for (RandomCases& each : part.random)
        if (!each.ended() && (!chosen || (by_turns_ && each.part_made() < chosen->part_made()))) chosen = &each;
      if (!chosen) break;
      if (auto task = chosen->next()) return task;
    }
  }
  return std::nullopt;
}

std::optional<Task> Plan::next() {
  for (;;) {
    auto task = first_ ? std::exchange(first_, std::nullopt) : take();
    if (!task || shard_.has(++place_)) return task;
  }
}

int64_t Plan::size() const { return shard_.size_of(tasks()); }

int64_t Plan::tasks() const {
  int64_t size = 0;
  for (const Part& part : parts_) {
    size += static_cast<int64_t>(part.lines.size());
    for (const RandomCases& each : part.random) size += each.size();
  }
  return size;
}

std::set<std::string> Plan::devices() const {
  std::set<std::string> devices;
  for (const Part& part : parts_) {
    for (const Task& task : part.lines) devices.insert(task.device);
    for (const RandomCases& each : part.random)
      if (each.size() > 0) devices.insert(each.device());
  }
  return devices;
}

Result<std::vector<const Variant*>> select_variants(const std::vector<std::string>& patterns,
                                                    const std::string& device) {
  std::vector<std::string> known;
  for (const Variant* variant : variants()) {
    if (variant->device != device) continue;
    known.push_back(variant->op);
    known.push_back(variant->op + "/" + variant->name);
  }
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const std::string& pattern : patterns) {
    if (pattern.find(' ') != std::string::npos)
      return fail(fmt::format("'{}' selects no variants: it is a case line", pattern),
                  "run it with `assay replay`, or name an op or variant alone");
    if (selected_variants({pattern}, device).empty())
      return fail(fmt::format("'{}' selects no variant for device {}", pattern, device),
                  known.empty() ? "this program has none for it" : suggestion(pattern, known));
  }
  return selected_variants(patterns, device);
}

namespace {

// The results of next() follow from these, and from the program.
std::string digest_of(const Suite& suite, const PlanOptions& options, const std::vector<std::string>& select,
                      const std::vector<SavedCase>& saved) {
  std::string text =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|", ASSAY_VERSION, suite.name, options.device, options.default_device,
                  options.seed, options.by_turns, static_cast<int>(options.part));
  text += fmt::format("{}|{}|{}|", options.cases.value_or(-1), fmt::join(select, " "), fmt::join(suite.pinned, "|"));
  const auto add = [&](const SuiteCounts& counts) {
    text += fmt::format("{} {} {} {} {}|", counts.cases, counts.checked, counts.elements_max, counts.flops_max,
                        counts.threads_max);
  };
  add(suite.counts);
  for (const auto& [op, counts] : suite.per_op) text += op + "|", add(counts);
  for (const SavedCase& each : saved) text += each.line + "|";
  if (suite.huge || options.huge != HugeCases::of_suite)
    text += fmt::format("huge {}|", static_cast<int>(options.huge));
  for (const Variant* variant : variants())
    if (std::ranges::any_of(select, [&](const std::string& one) { return selects(one, *variant); }))
      text += fmt::format("{}/{} {}|", variant->op, variant->name, variant->device);
  text += fmt::format("{}{}{}", options.extras.statistics, options.extras.watching.hints,
                      options.extras.watching.strict_barriers);
  return fmt::format("{:016x}", Rng::stream(0, text).next());
}

}  // namespace

Result<Plan> make_plan(const Suite& suite, const PlanOptions& options) {
  if (!suite.bench.empty() && suite.pinned.empty())
    return fail(fmt::format("suite '{}' names what to time, and no case to check", suite.name),
                fmt::format("run `assay bench --suite {}`, or check another suite", suite.name));
  const std::vector<std::string>& select = options.select.empty() ? suite.select : options.select;
  const std::string device = options.device.empty() ? options.default_device : options.device;
  auto variants = ASSAY_TRY(select_variants(select, device));
  const auto saved = ASSAY_TRY(read_saved(options.regressions));
  Plan plan;
  plan.by_turns_ = options.by_turns;
  plan.shard_ = options.shard;
  plan.digest_ = digest_of(suite, options, select, saved);
  plan.parts_.emplace_back();
  const auto add_part = [&](const std::string& on, std::vector<const Variant*> chosen, bool is_checked_share) {
    if (!options.by_turns && is_checked_share) plan.parts_.emplace_back();
    Planner planner(suite, options, on, std::move(chosen), plan.parts_.back(), plan);
    std::optional<Error> error;
    for (const SavedCase& regression : options.huge == HugeCases::alone ? std::vector<SavedCase>{} : saved)
      if (!error) error = planner.add_line(regression.path, regression.line);
    for (const std::string& line :
         is_checked_share || options.huge == HugeCases::alone ? std::vector<std::string>{} : suite.pinned)
      if (!error) error = planner.add_line(suite.path, line);
    if (options.huge != HugeCases::alone)
      planner.add_random(is_checked_share ? &SuiteCounts::checked : &SuiteCounts::cases);
    return error;
  };
  if (options.part != PlanPart::checked)
    if (auto error = add_part(device, std::move(variants), false)) return tl::unexpected(*error);
  if (options.part != PlanPart::first && options.device.empty() && suite.has_checked())
    if (auto error = add_part(kCheckedDevice, selected_variants(select, kCheckedDevice), true))
      return tl::unexpected(*error);
  if (options.part != PlanPart::checked && (options.device.empty() || options.device == kSampledDevice)) {
    Plan::Part& last = plan.parts_.emplace_back();
    Planner(suite, options, kSampledDevice, selected_variants(select, kSampledDevice), last, plan).add_huge();
  }
  if (options.shard.number != 1) plan.skipped_.clear();  // said once
  plan.first_ = plan.take();
  if (!plan.first_ && options.huge == HugeCases::alone && !plan.skipped_.empty())
    return fail(plan.skipped_.front().detail, "select other ops ('assay list'), or leave out shape=huge");
  if (!plan.first_)
    return fail("no case is selected", "give --cases a number above 0, or select more ops ('assay list')");
  return plan;
}

}  // namespace assay

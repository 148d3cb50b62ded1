// Choosing the cases, and running them candidate by candidate.
#include "harness/cli/try_adapters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "harness/adapter/build/compile_time.h"
#include "harness/base/interrupt.h"
#include "harness/cli/campaign_console.h"
#include "harness/op/registry.h"
#include "harness/search/generate.h"
#include "harness/search/worker_pool.h"

namespace assay {
namespace {

constexpr size_t kCases = 5;        // of a candidate; all must pass
constexpr size_t kPassesMin = 3;    // fewer decide nothing
constexpr int64_t kLooked = 600;    // generated cases among which they are looked for
constexpr int64_t kInVain = 20;     // of which none suits a candidate that demands what cannot be
constexpr int64_t kFewSuit = 60;    // of which none suits one that demands more than small cases have
constexpr int64_t kMostSuit = 150;  // of which enough suit one that demands much
constexpr double kCaseLimitS = 2;   // they are small; a wrong count may make a grid of millions of blocks
constexpr size_t kLargeCases = 3;   // of a candidate that is near
constexpr int64_t kLargeLooked = 200;
constexpr double kLargeLimitS = 10;
constexpr double kLongExtent = 64;  // of which one lost element is a small part
constexpr double kOfOne = -16;      // in logarithms: an extent of 1 hides one dim that is taken for another
constexpr int kTries = 10;          // of many candidates and many cases: what cannot be is not looked for long
constexpr GenerateLimits kSmall{.elements_max = 1 << 14, .flops_max = 400'000, .threads_max = 1 << 14, .tries = kTries};
// For candidates that no small case suits, such as products by whole tiles of 128.
constexpr GenerateLimits kLarger{
    .elements_max = 1 << 17, .flops_max = 8'000'000, .threads_max = 1 << 16, .tries = kTries};

bool is_over() { return interrupted_flag() || preparation_ended(); }

bool all_differ(const Contract& contract, const Case& c) {
  std::set<int64_t> seen;
  for (const DimSpec& dim : contract.dims)
    if (const int64_t extent = c.dim(dim.name); extent != 0 && !seen.insert(extent).second) return false;
  return true;
}

bool takes(const Variant& variant, const std::string& attr, const std::string& choice) {
  return std::ranges::none_of(variant.domains, [&](const Domain& domain) {
    return domain.name == attr && std::ranges::find(domain.values, choice) == domain.values.end();
  });
}

// Whether data is of an ordinary kind, or of the only kinds that the variant takes.
bool says_something(const Contract& contract, const Variant& variant, const Case& c) {
  if (c.fill != "normal" && c.fill != "uniform" && takes(variant, "fill", "normal")) return false;
  for (const TensorSpec& tensor : contract.tensors) {
    if (tensor.absent && tensor.absent(c)) continue;  // as the case says, not because something is 0
    for (const int64_t extent : shape_of(tensor, c))
      if (extent == 0) return false;
  }
  return true;
}

// In the operations that its contract counts, or else in elements.
double work_of(const Contract& contract, const Case& c) {
  return contract.flops ? contract.flops(c) : static_cast<double>(element_count(contract, c));
}

// Block sizes that every kernel is written for come first; odd ones are for finding faults.
void choose_block(const Variant& variant, size_t number, Case& c) {
  std::vector<int> usual;
  for (const int block : variant.blocks)
    if (block == 64 || block == 128 || block == 256) usual.push_back(block);
  if (!usual.empty()) c.block = usual[number % usual.size()];
}

// A generated case in its usual launch: ascending threads, a grid of its own, tensors that begin where they are
// allocated. Candidates that demand the same get the same ones: none is right because its cases say less.
Case plain_case(const Variant& variant, DType dtype, int64_t index, size_t number, const GenerateLimits& limits) {
  Variant any_name = variant;
  any_name.name.clear();
  Case c = generate_case(*find_op(variant.op), any_name, dtype, 1, index, limits);
  c.variant = variant.name;
  choose_block(variant, number, c);
  c.schedule = 0;
  c.grid.reset();
  c.offset.reset();
  return c;
}

// Gives a case those of the choices that its variant takes, if it stays one that the op admits.
bool give(const Contract& contract, const Variant& variant, const AttrChoices& choices, Case& c) {
  for (const auto& [attr, choice] : choices)
    if (takes(variant, attr, choice)) c.set(attr, choice);
  return !contract.constraint || !contract.constraint(c);
}

// Whether what a candidate demands of its cases contradicts itself, as far as a few of them show: each that is moved
// towards it takes long then.
bool none_suits(const Variant& variant) {
  if (!variant.unsupported) return false;
  for (int64_t index = 0; index < kInVain && !is_over(); ++index)
    if (!variant.unsupported(generate_case(*find_op(variant.op), variant, variant.dtypes.front(), 1, index, kLarger)))
      return false;
  return true;
}

std::vector<Task> tasks_of(const Variant& variant, const AttrChoices& with, bool sizes_differ,
                           const GenerateLimits& limits) {
  const Contract& contract = *find_op(variant.op);
  std::vector<Task> tasks;
  for (int64_t index = 0; index < kLooked && tasks.size() < kCases && !is_over(); ++index) {
    const auto dtype = variant.dtypes[static_cast<size_t>(index) % variant.dtypes.size()];
    if (index == kFewSuit && tasks.empty()) break;
    if (index == kMostSuit && tasks.size() >= kPassesMin) break;
    Case c = plain_case(variant, dtype, index, tasks.size(), limits);
    if (!give(contract, variant, with, c) || !says_something(contract, variant, c) ||
        (sizes_differ && !all_differ(contract, c)) || (variant.unsupported && variant.unsupported(c)))
      continue;
    // The largest sizes show most, the first cases are the smallest.
    if (element_count(contract, c) < 64 && index < kLooked / 2) continue;
    tasks.push_back({c, variant.device});
  }
  // Most candidates fail in their first case: that one is to take the least time.
  std::ranges::stable_sort(tasks, {}, [&](const Task& task) { return work_of(contract, task.c); });
  return tasks;
}

// Cases whose sizes all differ show most; a variant for squares has none.
std::vector<Task> tasks_of(const Variant& variant, const AttrChoices& with) {
  if (none_suits(variant)) return {};
  std::vector<Task> tasks = tasks_of(variant, with, true, kSmall);
  if (tasks.size() < kPassesMin) tasks = tasks_of(variant, with, false, kSmall);
  return tasks.size() < kPassesMin ? tasks_of(variant, with, false, kLarger) : tasks;
}

// Cases in which as many dims as the limits allow are long.
std::vector<Task> large_tasks_of(const Variant& variant, const AttrChoices& with) {
  if (none_suits(variant)) return {};
  const Contract& contract = *find_op(variant.op);
  std::vector<Task> tasks;
  for (int64_t index = 0; index < kLargeLooked && !is_over(); ++index) {
    Case c = plain_case(variant, variant.dtypes.front(), index, static_cast<size_t>(index), kLarger);
    if (give(contract, variant, with, c) && says_something(contract, variant, c) &&
        (!variant.unsupported || !variant.unsupported(c)))
      tasks.push_back({c, variant.device});
  }
  const auto length = [&](const Task& task) {
    double all = 0;
    for (const DimSpec& dim : contract.dims)
      all += task.c.dim(dim.name) == 1
                 ? kOfOne
                 : std::log(std::clamp(static_cast<double>(task.c.dim(dim.name)), 1.0, kLongExtent));
    return -all;
  };
  std::ranges::stable_sort(tasks, {}, length);
  tasks.resize(std::min(tasks.size(), kLargeCases));
  return tasks;
}

// Findings beside which outputs can be compared.
bool has_values(Kind verdict) {
  return verdict == Kind::mismatch || verdict == Kind::nonfinite || verdict == Kind::unwritten;
}

// The share of written elements, of the output that has the least: 2/2560 where "2558 of 2560 elements of output y were
// never written".
double written_share(const std::string& detail) {
  double least = 1;
  constexpr std::string_view kOf = " of ", kBehind = " elements of output ";
  for (size_t at = detail.find(kBehind); at != std::string::npos; at = detail.find(kBehind, at + 1)) {
    const size_t of = detail.rfind(kOf, at - 1);
    if (of == std::string::npos) continue;
    const size_t begin = detail.find_last_not_of("0123456789", of - 1) + 1;
    double unwritten = 0, all = 0;
    std::from_chars(detail.data() + begin, detail.data() + of, unwritten);
    std::from_chars(detail.data() + of + kOf.size(), detail.data() + at, all);
    if (all > 0) least = std::min(least, 1 - unwritten / all);
  }
  return least;
}

// Elements that are not written are as far off as all that the op changes in them.
double distance_of(const ResultRow& row) {
  if (row.verdict == Kind::pass) return 0;
  if (!has_values(row.verdict) || !row.figures.has("relative_distance")) return std::numeric_limits<double>::infinity();
  return std::max(row.figures["relative_distance"], 1 - written_share(row.detail));
}

// The share of elements within their budgets, as far as the maps of errors show, which have none of what is unwritten;
// 0 where something else is wrong.
double share_of(const ResultRow& row) {
  if (row.verdict == Kind::pass) return 1;
  if (!has_values(row.verdict)) return 0;
  double least = row.maps.empty() ? 0 : written_share(row.detail);
  for (const ErrorMap& map : row.maps) {
    const auto within = std::ranges::count_if(map.cells, [](double error) { return error <= 1; });
    least = std::min(least, static_cast<double>(within) / static_cast<double>(std::max<size_t>(map.cells.size(), 1)));
  }
  return least;
}

const Variant* variant_of(const std::string& id) {
  const size_t slash = id.find('/');
  for (const char* device : {"cpu-checked", "cpu"})
    if (const Variant* variant = find_variant(id.substr(0, slash), id.substr(slash + 1), device)) return variant;
  return nullptr;
}

}  // namespace

std::vector<TriedCandidate> try_adapters(const std::vector<std::string>& ids, const AttrChoices& with, TrySizes sizes) {
  const bool is_large = sizes == TrySizes::large;
  std::vector<Task> tasks;
  std::vector<size_t> owner;
  std::vector<TriedCandidate> tried(ids.size());
  for (size_t i = 0; i < ids.size(); ++i)
    if (const Variant* variant = variant_of(ids[i]))
      for (Task& task : is_large ? large_tasks_of(*variant, with) : tasks_of(*variant, with)) {
        tasks.push_back(std::move(task));
        owner.push_back(i);
        ++tried[i].cases;
        tried[i].share = 1, tried[i].distance = 0;
      }
  const auto is_right = [](const TriedCandidate& one) { return one.passed == one.cases && one.passed >= kPassesMin; };
  const auto decided_before = [&](size_t i) {  // whether an earlier candidate has passed everything
    return std::any_of(tried.begin(), tried.begin() + static_cast<std::ptrdiff_t>(i), is_right);
  };
  WorkerPool pool(
      {.jobs = jobs_or_cores(0), .case_limit = std::chrono::duration<double>(is_large ? kLargeLimitS : kCaseLimitS)});
  size_t next = 0;
  pool.run(
      [&]() -> std::optional<WorkerPool::Numbered> {
        if (is_over()) return std::nullopt;
        // The cases behind a failure say nothing more, except of a candidate that is nearly right.
        const auto goes_on = [&](const TriedCandidate& one) {
          return one.why_not.empty() || one.nearly_right() || (is_large && one.is_near());
        };
        while (next < tasks.size() && (!goes_on(tried[owner[next]]) || decided_before(owner[next]))) ++next;
        if (next == tasks.size()) return std::nullopt;
        const size_t index = next++;
        return WorkerPool::Numbered{index, tasks[index]};
      },
      [&](size_t index, const ResultRow& row) {
        preparation_goes_on();
        TriedCandidate& one = tried[owner[index]];
        one.share = std::min(one.share, share_of(row));
        one.distance = std::max(one.distance, distance_of(row));
        if (row.verdict == Kind::pass)
          ++one.passed;
        else if (one.why_not.empty())
          one.why_not = fmt::format("{}: {}", name(row.verdict), row.detail.substr(0, row.detail.find('\n')));
      },
      &interrupted_flag());
  for (TriedCandidate& one : tried) {
    one.right = is_right(one);
    if (one.cases < kPassesMin && one.why_not.empty()) one.why_not = "too few cases suit it";
  }
  return tried;
}

}  // namespace assay

// The declarations that would make a variant right: a hint for whoever forgot them, and never a reason to pass.
//
// Production kernels round on their way, by design. When values miss the budgets of what a variant declares, the judge
// tries what else the contract knows: each of its roundings, two of them, all of them; flushing to zero and the fast
// intrinsics; tf32 operands; sums in f16. Sums in bf16 explain too much to be named. The first that explains everything
// is named in the finding.
//
// A wide budget explains little. So the errors must use a good part of the budget that is said to explain them, and
// they must look like roundings: they must not follow the values, as those of a wrong factor do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/judge/hint.h"
#include "harness/judge/judge.h"

namespace assay::judge {
namespace {

constexpr double kFlopsMax = 1e6;  // of one reference: attempts are many
constexpr int64_t kElementsMax = 1'000'000;
constexpr int64_t kElementsOfPairs = 5'000;  // of a case for which pairs of roundings are tried
constexpr double kShareLeast = 0.05;         // of the budget, that the largest error must use
constexpr double kFollowsValues = 0.4;       // correlation of errors with values, above what chance gives
constexpr double kElementsOfCoarse = 64;     // that show coarse arithmetic
constexpr double kCoarser = 2;               // a budget than before, of an approximate function

struct Explanation {
  Variant variant;
  std::string what;      // "`p` is rounded to bf16"
  size_t roundings = 0;  // that it adds
};

Explanation rounding_of(const Variant& variant, const std::vector<std::string>& names, DType dtype) {
  Explanation explanation{
      variant,
      fmt::format("`{}` {} rounded to {}", fmt::join(names, "` and `"), names.size() == 1 ? "is" : "are", name(dtype)),
      names.size()};
  for (const std::string& rounded : names) explanation.variant.rounds.push_back(rounded);
  return explanation;
}

void add_roundings(const Trial& trial, std::vector<Explanation>& explanations) {
  const auto& declared = trial.variant.rounds;
  std::vector<std::string> names;
  for (const NamedRounding& rounding : trial.contract.roundings)
    if (!rounding.is_computed && std::ranges::find(declared, rounding.name) == declared.end())
      names.push_back(rounding.name);
  if (trial.c.dtype == DType::f32) return;  // rounds all of them anyway
  for (const std::string& one : names) explanations.push_back(rounding_of(trial.variant, {one}, trial.c.dtype));
  if (element_count(trial.contract, trial.c) <= kElementsOfPairs)
    for (size_t i = 0; i < names.size(); ++i)
      for (size_t j = i + 1; j < names.size(); ++j)
        explanations.push_back(rounding_of(trial.variant, {names[i], names[j]}, trial.c.dtype));
  if (names.size() > 2) explanations.push_back(rounding_of(trial.variant, names, trial.c.dtype));
}

void add_arithmetic(const Trial& trial, std::vector<Explanation>& explanations) {
  const auto add = [&](const char* what, auto change) {
    Explanation explanation{trial.variant, what};
    change(explanation.variant);
    explanations.push_back(std::move(explanation));
  };
  if (!trial.variant.ftz) add("f32 subnormals are 0 to it", [](Variant& v) { v.ftz = true; });
  if (!trial.variant.fast_math) add("it takes fast intrinsics", [](Variant& v) { v.fast_math = true; });
  if (!trial.variant.ftz && !trial.variant.fast_math)
    add("it is compiled by -use_fast_math", [](Variant& v) { v.ftz = v.fast_math = true; });
  if (trial.variant.accumulate != Accumulate::f32) return;
  if (trial.contract.multiplies_matrices && trial.c.dtype == DType::f32)
    add("operands of matrix products are rounded to tf32", [](Variant& v) { v.accumulate = Accumulate::tf32; });
  if (trial.c.dtype == DType::f16) add("it adds up in f16", [](Variant& v) { v.accumulate = Accumulate::f16; });
}

// Whether these budgets are so much wider than those without the declaration that many a bug is within them.
bool is_coarse(const ExpectedTensor& want, const ExpectedTensor& before, const Variant& declared) {
  if (declared.accumulate != Accumulate::f32) return true;
  for (size_t i = 0; declared.fast_math && i < want.budget.size(); ++i)
    if (std::isfinite(want.budget[i]) && want.budget[i] > kCoarser * before.budget[i]) return true;
  return false;
}

// Whether the errors of an output are those of roundings under these budgets: within them, not far below, and as often
// up as down. Arithmetic that is coarse throughout has such wide budgets that it takes many elements to tell.
bool is_rounding_noise(const ExpectedTensor& want, const Tensor& got, const Variant& declared, bool coarse) {
  double largest = 0, products = 0, errors = 0, count = 0;  // of errors as shares of budgets, so that no value prevails
  bool has_lost_one = false;
  for (int64_t i = 0; i < want.count(); ++i) {
    const double value = want.value[static_cast<size_t>(i)], error = got.at(i) - value;
    if (!want.is_known(i) || !std::isfinite(value) || !std::isfinite(error)) continue;
    largest = std::max(largest, want.compare(i, got.bits(i)).error_over_budget);
    const double share = error / std::max(want.budget[static_cast<size_t>(i)], std::numeric_limits<double>::min());
    products += value < 0 ? -share : share, errors += share * share, ++count;
    has_lost_one = has_lost_one || (got.at(i) == 0 && value != 0);
  }
  if (largest < kShareLeast) return false;
  const double correlation = std::fabs(products) / std::sqrt(errors * count);
  if (coarse) return count >= kElementsOfCoarse && correlation < kFollowsValues;
  return (declared.ftz && has_lost_one) || !(correlation > kFollowsValues + 3 / std::sqrt(count));
}

bool explains(const Explanation& explanation, const Trial& trial) {
  const Oracle oracle{trial.contract, explanation.variant, trial.c, trial.given};
  Expected expected = oracle.expect();
  const bool by_some_formula =  // of those that are tried first: the product of both would be too many
      explanation.roundings <= 1 && oracle.take_fitting_formulas(trial.got, expected);
  for (size_t t = 0; t < expected.size(); ++t) {
    const Tensor& got = trial.got.get(expected[t].name);
    if (!by_some_formula && !expected[t].fits(got)) return false;
    if (trial.expected[t].fits(got)) continue;
    const bool coarse = is_coarse(expected[t], trial.expected[t], explanation.variant);
    if (!is_rounding_noise(expected[t], got, explanation.variant, coarse)) return false;
  }
  return true;
}

// A reference that computes a sample of its rows must still see what is wrong.
bool is_wrong_in(const Trial& trial, const Expected& sample) {
  return std::ranges::any_of(sample, [&](const ExpectedTensor& want) { return !want.fits(trial.got.get(want.name)); });
}

}  // namespace

bool is_diagnosed(const Contract& contract, const Case& c) {
  return element_count(contract, c) <= kElementsMax && (!contract.flops || contract.flops(c) <= kFlopsMax);
}

void diagnosis(const Trial& trial, Findings& findings) {
  const auto wrong = std::ranges::find(findings, Kind::mismatch, &Finding::kind);
  const bool of_class =
      std::ranges::any_of(findings, [](const Finding& finding) { return finding.kind == Kind::nonfinite; });
  if (wrong == findings.end() || of_class || trial.contract.reference.bits) return;
  if (element_count(trial.contract, trial.c) > kElementsMax) return;
  const double flops_max = std::exchange(reference_flops_max, kFlopsMax);
  std::vector<Explanation> explanations;
  add_roundings(trial, explanations);
  add_arithmetic(trial, explanations);
  if (!is_wrong_in(trial, trial.oracle().expect())) explanations.clear();
  const auto first =
      std::ranges::find_if(explanations, [&](const Explanation& explanation) { return explains(explanation, trial); });
  if (first != explanations.end()) {
    std::vector<std::string> declared = {declarations_of(first->variant)};
    // Roundings of the same size, each of which would do.
    for (auto other = first + 1; other != explanations.end() && first->roundings == 1 && other->roundings == 1; ++other)
      if (explains(*other, trial)) declared.push_back(declarations_of(other->variant));
    wrong->detail += hint_of(first->what, declared);
  }
  reference_flops_max = flops_max;
}

}  // namespace assay::judge

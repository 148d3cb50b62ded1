// Formulas by which production kernels compute, on the host in f32, for tests that the judge takes each of them as it
// is declared and none of them with a bug.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/judge/judge.h"
#include "harness/op/registry.h"
#include "harness/op/test_cases.h"

namespace assay {

inline constexpr float kLog2OfE = 1.44269504F;

// A device whose variants do what `kernel` does to the tensors of a case.
class FunctionDevice : public Device {
 public:
  using Kernel = std::function<void(const Variant& variant, const Case& c, Tensors& tensors)>;
  explicit FunctionDevice(Kernel kernel) : kernel_(std::move(kernel)) {}
  std::string name() const override { return "cpu"; }
  Findings run(const Variant& variant, const Case& c, Tensors& tensors, uint64_t) override {
    kernel_(variant, c, tensors);
    return {};
  }
  std::string first_nonfinite(const Variant&, const Case&, Tensors&, uint64_t) override { return ""; }

 private:
  Kernel kernel_;
};

struct HonestFormula {
  std::string name;
  std::string op;
  std::vector<std::string> rounds = {};
  std::function<void(const Case&, Tensors&, bool broken)> kernel = nullptr;  // broken: with one real bug
  std::function<bool(const Case&)> takes = nullptr;                          // nothing: every case
  std::vector<std::string> omits = {};
  Accumulate accumulate = Accumulate::f32;
  bool fast_math = false;

  Variant declared() const {
    Variant variant;
    variant.rounds = rounds, variant.omits = omits, variant.accumulate = accumulate, variant.fast_math = fast_math;
    return variant;
  }
};

inline void PrintTo(const HonestFormula& formula, std::ostream* out) { *out << formula.name; }

// The findings in a case of the formula: from its values and its contract's properties.
inline Findings findings_of(const HonestFormula& formula, const Case& c, bool broken) {
  const Contract& contract = *find_op(formula.op);
  FunctionDevice device([&](const Variant&, const Case& of, Tensors& tensors) { formula.kernel(of, tensors, broken); });
  const Variant variant = formula.declared();
  Trial trial(contract, variant, c);
  device.run(variant, c, trial.got, 0);
  Findings findings = judge::values(trial);
  if (!findings.empty()) judge::diagnosis(trial, findings);
  return findings.empty() ? judge::properties(trial, device) : findings;
}

// Small random cases that the formula takes: one of each fill, again and again until they are a dozen.
inline std::vector<Case> cases_of(const HonestFormula& formula) {
  const char* more = std::getenv("ASSAY_HONEST_CASES");  // for campaigns by hand
  const int64_t wanted = more ? std::strtoll(more, nullptr, 10) : 12;
  const Contract& contract = *find_op(formula.op);
  Rng rng = Rng::stream(11, formula.name);
  std::vector<Case> cases;
  for (int round = 0; round < wanted && std::ssize(cases) < wanted; ++round)
    for (const Fill& fill : fills()) {
      if (!admits(contract, fill)) continue;
      for (int attempt = 0; attempt < 500; ++attempt) {
        std::optional<Case> c = any_case(contract, rng, 1'000);
        if (!c || element_count(contract, *c) == 0) continue;
        // Formulas are of what ops were before they had optional attributes.
        for (const AttrSpec& attr : contract.attrs)
          if (attr.optional) c->set(attr.name, attr.choices.front());
        c->fill = fill.name;
        if (formula.takes && !formula.takes(*c)) continue;
        cases.push_back(*std::move(c));
        break;
      }
    }
  return cases;
}

inline void expect_honest(const HonestFormula& formula) {
  const std::vector<Case> cases = cases_of(formula);
  EXPECT_GE(cases.size(), 12U);
  for (const Case& c : cases) {
    const Findings findings = findings_of(formula, c, false);
    EXPECT_TRUE(findings.empty()) << print(c) << "\n  " << findings[0].detail;
  }
}

inline bool has_hint(const Findings& findings, const std::string& hint = "within budget if") {
  return std::ranges::any_of(findings,
                             [&](const Finding& finding) { return finding.detail.find(hint) != std::string::npos; });
}

// A bug may change nothing in a case: nothing is masked, one column is all there is. It must be seen in a third of
// them, and no declaration be proposed that would hide it.
inline void expect_bug_is_seen(const HonestFormula& formula) {
  const std::vector<Case> cases = cases_of(formula);
  int64_t seen = 0, hinted = 0;
  for (const Case& c : cases) {
    const Findings findings = findings_of(formula, c, true);
    seen += !findings.empty();
    hinted += has_hint(findings);
    if (has_hint(findings) && std::getenv("ASSAY_HONEST_CASES"))
      ADD_FAILURE() << print(c) << "\n  " << findings[0].detail;
  }
  EXPECT_GE(3 * seen, std::ssize(cases)) << seen << " of " << cases.size();
  EXPECT_LE(5 * hinted, seen) << "hints for a kernel with a bug";
}

// Without its declaration a formula that rounds one intermediate result fails, in most cases with a hint that says what
// to declare: few elements may err as a wrong factor makes them err.
inline void expect_hint(HonestFormula formula) {
  if (formula.rounds.size() != 1) return;
  const std::string hint = "rounds = [\"" + std::exchange(formula.rounds, {})[0] + "\"]";
  int64_t failures = 0, hinted = 0;
  for (const Case& c : cases_of(formula)) {
    if (c.dtype == DType::f32) continue;
    const Findings findings = findings_of(formula, c, false);
    failures += !findings.empty();
    hinted += has_hint(findings, hint);
    if (!findings.empty() && !has_hint(findings, hint) && std::getenv("ASSAY_HONEST_CASES"))
      ADD_FAILURE() << print(c) << "\n  " << findings[0].detail;
  }
  EXPECT_GT(failures, 0);
  EXPECT_GE(2 * hinted, failures) << hinted << " of " << failures << " failures name " << hint;
}

inline std::string name_of(const testing::TestParamInfo<HonestFormula>& formula) { return formula.param.name; }

// Whether an intermediate result may be too large for f16: what overflows there is wrong, declared or not.
inline bool may_overflow(const Case& c) {
  if (c.dtype != DType::f16) return false;
  const auto is_large = [](const Tensor& tensor) {
    for (int64_t i = 0; i < tensor.count(); ++i)
      if (std::isfinite(tensor.at(i)) && std::fabs(tensor.at(i)) > 100) return true;
    return false;
  };
  return std::ranges::any_of(make_tensors(*find_op(c.op), c), is_large);
}

inline float f32(const Tensor& tensor, int64_t i) { return static_cast<float>(tensor.at(i)); }

// The number that a kernel has after it stored one in the case's dtype.
inline float stored(DType dtype, float value) {
  return static_cast<float>(to_double(dtype, from_double(dtype, static_cast<double>(value))));
}

// Sums in orders that kernels use.
enum class Order : uint8_t { serial, lanes, tiles };

template <class F>
float sum_of(int64_t count, Order order, F term) {
  float total = 0;
  if (order == Order::lanes) {  // a warp's strided sums, then its tree
    float lane[32] = {};
    for (int64_t i = 0; i < count; ++i) lane[i % 32] += term(i);
    for (int step = 16; step > 0; step /= 2)
      for (int l = 0; l < step; ++l) lane[l] += lane[l + step];
    return lane[0];
  }
  const int64_t tile = order == Order::tiles ? 8 : std::max<int64_t>(count, 1);
  for (int64_t first = 0; first < count; first += tile) {
    float part = 0;
    for (int64_t i = first; i < std::min(count, first + tile); ++i) part += term(i);
    total += part;
  }
  return total;
}

}  // namespace assay

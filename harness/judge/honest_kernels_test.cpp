// Properties of every op: they accuse no kernel whose results lie within their budgets, however these err, and do
// accuse one that depends on what the property forbids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/judge/test_honest_formula.h"
#include "harness/op/test_cases.h"

namespace assay {
namespace {

using testing::HasSubstr;

Findings judged(const Contract& contract, const Case& c, FunctionDevice& device) {
  const Variant variant = {};
  Trial trial(contract, variant, c);
  device.run(variant, c, trial.got, 0);
  Findings findings = judge::values(trial);
  EXPECT_TRUE(findings.empty()) << findings[0].detail;
  return judge::properties(trial, device);
}

// -- Whatever is within the budget is honest.

// Writes results that lie anywhere between the ends of their budgets, other ones at every run. Where the contract wants
// elements to keep their bits, they do.
FunctionDevice within_budgets(const Contract& contract) {
  const bool exact = std::ranges::any_of(
      contract.properties, [](const Property& property) { return property.name == "keeps_bits_or_masks"; });
  return FunctionDevice([&contract, exact, rng = Rng::stream(1, contract.name)](const Variant& variant, const Case& c,
                                                                                Tensors& tensors) mutable {
    for (const ExpectedTensor& want : Oracle{contract, variant, c, Tensors(tensors)}.expect()) {
      Tensor& tensor = tensors.get(want.name);
      for (int64_t i = 0; i < want.count(); ++i) {
        const auto at = static_cast<size_t>(i);
        if (exact && !(want.value[at] < tensor.at(i))) continue;  // kept
        const double part = exact ? 0 : static_cast<double>(rng.between(-1000, 1000)) / 1000;
        const uint64_t bits = from_double(want.dtype, want.value[at] + part * want.budget[at]);
        const bool is_honest = want.is_known(i) && want.compare(i, bits).error_over_budget <= 1;
        tensor.set_bits(i, is_honest ? bits : want.right_bits(i));
      }
    }
  });
}

class EveryOp : public testing::TestWithParam<std::string> {};

TEST_P(EveryOp, AccusesNothingWithinBudgets) {
  constexpr int cases = 40;
  const Contract& contract = *find_op(GetParam());
  FunctionDevice device = within_budgets(contract);
  Rng rng = Rng::stream(2, contract.name);
  for (int made = 0, attempt = 0; made < cases && attempt < 50 * cases; ++attempt) {
    const std::optional<Case> c = any_case(contract, rng, 2'000);
    if (!c) continue;
    ++made;
    const Findings findings = judged(contract, *c, device);
    ASSERT_TRUE(findings.empty()) << print(*c) << "\n" << findings[0].detail;
  }
}

INSTANTIATE_TEST_SUITE_P(Properties, EveryOp, testing::ValuesIn(names_of_ops()),
                         [](const auto& one) { return one.param; });

// -- Softmax in other words.

using Element = std::function<float(float x, float largest)>;

// exp(x) of every element, as `element` computes it, over their sum.
FunctionDevice softmax_by(Element element) {
  return FunctionDevice([=](const Variant&, const Case& c, Tensors& tensors) {
    const Tensor& x = tensors.get("x");
    const int64_t cols = c.dim("cols");
    for (int64_t row = 0; row < x.count(); row += cols) {
      float largest = -INFINITY, sum = 0;
      for (int64_t i = row; i < row + cols; ++i) largest = std::fmax(largest, static_cast<float>(x.at(i)));
      for (int64_t i = row; i < row + cols; ++i) sum += element(static_cast<float>(x.at(i)), largest);
      for (int64_t i = row; i < row + cols; ++i)
        tensors.get("y").set(i, element(static_cast<float>(x.at(i)), largest) / sum);
    }
  });
}

float exp2_of_product(float x, float largest) { return std::exp2(x * kLog2OfE - largest * kLog2OfE); }
float exp2_of_fused_product(float x, float largest) { return std::exp2(std::fma(x, kLog2OfE, -largest * kLog2OfE)); }
float exp_without_the_maximum(float x, float) { return std::exp(x); }
float exp_up_to_a_limit(float x, float) { return std::exp(std::fmin(x, 5.0F)); }  // as against infinities

Findings softmax_judged(const std::string& params, FunctionDevice device) {
  return judged(*find_op("softmax_forward"), *read_case("softmax_forward/by_hand " + params + " schedule=0"), device);
}

TEST(Softmax, InOtherWordsIgnoresAShiftToo) {
  for (const Element element : {exp2_of_product, exp2_of_fused_product, exp_without_the_maximum})
    for (const std::string dtype : {"f32", "bf16", "f16"})
      for (const std::string fill : {"normal", "uniform", "integers", "ties", "all_equal"})
        for (const int seed : {1, 2, 3, 4}) {
          const std::string params = fmt::format("{} rows=7 cols=300 fill={} seed={}", dtype, fill, seed);
          const Findings findings = softmax_judged(params, softmax_by(element));
          EXPECT_TRUE(findings.empty()) << params << ": " << findings[0].detail;
        }
}

TEST(Softmax, ThatDependsOnAShiftIsFound) {
  const Findings findings = softmax_judged("f32 rows=7 cols=300 fill=integers seed=1", softmax_by(exp_up_to_a_limit));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, Kind::property);
  EXPECT_THAT(findings[0].detail, HasSubstr("ignores_a_shift"));
}

}  // namespace
}  // namespace assay

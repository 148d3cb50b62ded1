// Sharpness of tensors whose budgets are chosen, so that the detected errors are known.
#include "harness/judge/sharpness.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay {
namespace {

ExpectedTensor tensor(DType dtype, std::vector<double> value, double budget) {
  const std::vector<double> budgets(value.size(), budget);
  return {.name = "y",
          .dtype = dtype,
          .shape = {std::ssize(value)},
          .value = std::move(value),
          .budget = budgets,
          .bits = {}};
}

RefTensor<float> plain(const ExpectedTensor& want, double off = 0) {
  RefTensor<float> result{want.name, want.shape, {}};
  for (const double value : want.value) result.values.push_back(static_cast<float>(value + off));
  return result;
}

Sharpness of(Rule rule, const ExpectedTensor& want, const RefTensor<float>& narrow) {
  Sharpness sharpness(rule);
  sharpness.add({want, narrow});
  return sharpness;
}

TEST(Sharpness, TellsUniformErrorsDownToTheBudget) {
  const ExpectedTensor want = tensor(DType::f32, {1, 4, 0.25}, std::ldexp(1.0, -10));
  EXPECT_EQ(of(Rule::assay, want, plain(want)).finest(), 11) << "of 4: 2^-9 is found, 2^-10 is the budget";
  EXPECT_EQ(of(Rule::torch, want, plain(want)).finest(), 18) << "of 4: 4 * 2^-18 > 1e-5 + 4 * 1.3e-6 > 4 * 2^-19";
  EXPECT_EQ(of(Rule::kernelbench, want, plain(want)).finest(), 6) << "of 4: 4 * 2^-6 > 0.05 > 4 * 2^-7";
}

TEST(Sharpness, CountsElementsThatAreOffAlone) {
  const ExpectedTensor want = tensor(DType::f32, {1, 4, 0.25, 0, std::nan("")}, 0.02);
  const Sharpness budget = of(Rule::assay, want, plain(want));
  EXPECT_EQ(budget.elements(0), 3) << "0 has no relative error, NaN none at all";
  EXPECT_DOUBLE_EQ(budget.told(0), 1 / 3.0);
  EXPECT_DOUBLE_EQ(budget.told(1), 1);
  const Sharpness loose = of(Rule::kernelbench, want, plain(want));
  EXPECT_DOUBLE_EQ(loose.told(0), 0);
  EXPECT_DOUBLE_EQ(loose.told(1), 1);
}

TEST(Sharpness, LeavesOutWhatPlainArithmeticGetsWrong) {
  const ExpectedTensor want = tensor(DType::f32, {1, 2}, 0.05);
  const Sharpness off = of(Rule::assay, want, plain(want, 0.04));
  EXPECT_EQ(off.elements(0), 0) << "both are 2 % or more off in f32";
  EXPECT_EQ(off.elements(1), 2);
  EXPECT_DOUBLE_EQ(off.told(1), 1);
  EXPECT_EQ(of(Rule::assay, want, plain(want, NAN)).elements(1), 0);
}

TEST(Sharpness, TwiceIsTheLargestErrorOfThePlainComputation) {
  const ExpectedTensor want = tensor(DType::f32, {1, 2}, 0);
  EXPECT_EQ(of(Rule::twice, want, plain(want, 0.125)).finest(), 2) << "0.5 of 2 is found, 0.25 is twice the error";
  EXPECT_EQ(of(Rule::twice, want, plain(want, HUGE_VAL)).finest(), -1) << "it overflowed, and nothing is found";
}

TEST(Sharpness, IsThatOfTheOutputsDtype) {
  const ExpectedTensor want = tensor(DType::bf16, {1}, 0);
  EXPECT_EQ(of(Rule::assay, want, plain(want)).finest(), 7) << "1 + 2^-8 is no bf16";
}

TEST(Sharpness, LeavesOutWhatTheReferenceLeftOut) {
  const ExpectedTensor want = tensor(DType::f32, {1}, HUGE_VAL);
  const Sharpness sharpness = of(Rule::assay, want, plain(want));
  EXPECT_EQ(sharpness.elements(0), 0);
  EXPECT_EQ(sharpness.finest(), -1);
  EXPECT_TRUE(std::isnan(sharpness.told(0)));
}

TEST(Sharpness, CountsWhatAnotherRuleAloneTells) {
  ExpectedTensor want = tensor(DType::f32, {1, 2, 4}, 0);
  want.budget = {0.001, 0.05, 0.5};  // tells 1 % of the first, and 10 % of the first two
  EXPECT_EQ(told_only_by(Rule::torch, 0, {want, plain(want)}), 2);
  EXPECT_EQ(told_only_by(Rule::torch, 1, {want, plain(want)}), 1);
  EXPECT_EQ(told_only_by(Rule::torch, 0, {want, plain(want, 0.03)}), 1) << "f32 has two wrong by 1 %";
  EXPECT_EQ(told_only_by(Rule::assay, 0, {want, plain(want)}), 0);
}

TEST(Sharpness, IsTheFinestOfItsCases) {
  Sharpness sharpness(Rule::assay);
  for (const double budget : {0.1, 0.001, 0.1}) {
    const ExpectedTensor want = tensor(DType::f32, {1}, budget);
    sharpness.add({want, plain(want)});
  }
  EXPECT_EQ(sharpness.finest(), 9);
  EXPECT_DOUBLE_EQ(sharpness.told(0), 1 / 3.0);
}

}  // namespace
}  // namespace assay

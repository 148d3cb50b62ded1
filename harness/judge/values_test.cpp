// judge::values: findings and figures of a whole run, budgets included, for every dtype and role.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/judge/test_trial.h"

namespace assay {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A right run with one element changed by `change`, judged.
Findings judged_with(Judged& judged, const std::string& tensor, int64_t i,
                     const std::function<double(double)>& change) {
  judged.run(judged.right_kernel());
  Tensor& changed = judged.trial.got.get(tensor);
  changed.set(i, change(changed.at(i)));
  return judge::values(judged.trial);
}

class Values : public testing::TestWithParam<std::string> {
 protected:
  std::string params() const { return GetParam() + " rows=4 cols=40 init=random"; }
};

INSTANTIATE_TEST_SUITE_P(Dtypes, Values, testing::Values("f32", "bf16", "f16"));

TEST_P(Values, ARightRunIsWithinItsBudgets) {
  Judged judged(params());
  judged.run(judged.right_kernel());
  EXPECT_TRUE(judge::values(judged.trial).empty());
  EXPECT_LE(judged.trial.row.figures["error_over_budget"], 1);
  EXPECT_GE(judged.trial.row.figures["error_over_budget"], 0);
  EXPECT_TRUE(judged.trial.row.worst.empty());
}

// A vector of outputs as a whole: one written anew from 0, one that is added to from what it held.
TEST_P(Values, DistanceIsAShareOfWhatTheOpChanges) {
  Judged anew(params());
  anew.run(anew.right_kernel());
  Tensor& y = anew.trial.got.get("y");
  for (int64_t i = 0; i < y.count(); ++i) y.set(i, 1.125 * y.at(i));
  judge::values(anew.trial);
  EXPECT_NEAR(anew.trial.row.figures["relative_distance"], 0.125, 0.01);
  Judged untouched(params());
  untouched.run(untouched.right_kernel());
  Tensor& total = untouched.trial.got.get("total");
  for (int64_t i = 0; i < total.count(); ++i) total.set(i, untouched.trial.given.get("total").at(i));
  total.set(0, kNan);
  judge::values(untouched.trial);
  EXPECT_NEAR(untouched.trial.row.figures["relative_distance"], 1, 1e-6) << "nothing was added";
}

// A cache of which most is in another slot is not near for want of numbers to subtract.
TEST_P(Values, DistanceOfBitsIsThatOfTheWrongOnes) {
  Judged judged(params());
  judged.run(judged.right_kernel());
  judged.trial.expected = judged.trial.oracle().expect();
  Tensor& y = judged.trial.got.get("y");
  for (int64_t i = 0; i < y.count(); ++i) judged.trial.expected[0].bits.push_back(y.bits(i));
  for (int64_t i = 0; i < y.count() / 4; ++i) y.set_bits(i, y.bits(i) ^ 1);
  judge::values(judged.trial);
  EXPECT_NEAR(judged.trial.row.figures["relative_distance"], 0.5, 1e-6);
}

// The budget of one product holds what a kernel in plain f32 may do, and not two units in the last place of an output
// in 16 bits, nor eight of one in f32.
TEST_P(Values, BudgetsAreNarrow) {
  const int64_t units = GetParam() == "f32" ? 8 : 2;
  Judged judged(params());
  const auto off = [&](double value) { return value + static_cast<double>(units) * ulp(judged.c.dtype, value); };
  const Findings findings = judged_with(judged, "y", 81, off);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, Kind::mismatch);
  EXPECT_THAT(findings[0].detail, HasSubstr("y: 1 of 160 elements are wrong, the first at [2,1]: got "));
}

// A sum in another order is off by less; without the values that it started from, by more.
TEST_P(Values, AccumulatedOutputsStartFromWhatTheyHeld) {
  Judged judged(params());
  const double initial = judged.trial.given.get("total").at(1);
  EXPECT_TRUE(judged_with(judged, "total", 1, [](double v) { return v + ulp(DType::f32, v); }).empty());
  Judged lost(params());
  const Findings findings = judged_with(lost, "total", 1, [&](double v) { return v - initial; });
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].detail, HasSubstr("total: 1 of 4 elements are wrong, the first at [1]: got "));
}

TEST_P(Values, AddingTwiceIsWrong) {
  Judged judged(params());
  judged.run(judged.right_kernel());
  judged.run(judged.right_kernel());
  const Findings findings = judge::values(judged.trial);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].detail, HasSubstr("total: 4 of 4 elements are wrong"));
}

// A NaN or an infinity explains wrong numbers better than they do, so it is the one that is shown.
TEST_P(Values, TheFirstOfAWrongClassIsShown) {
  for (const double bad : {kNan, kInfinity}) {
    Judged judged(params());
    judged.run(judged.right_kernel());
    judged.trial.got.get("y").set(3, 1e4);
    judged.trial.got.get("y").set(50, bad);
    const Findings findings = judge::values(judged.trial);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].kind, Kind::nonfinite);
    EXPECT_THAT(findings[0].detail, HasSubstr("y: 2 of 160 elements are wrong, the first at [1,10]: got "));
    EXPECT_EQ(judged.trial.row.figures["error_over_budget"], kInfinity);
  }
}

TEST(ValuesRow, KeepsTheWorstFiveWorstFirst) {
  Judged judged;
  judged.run(judged.right_kernel());
  for (int64_t i = 0; i < 9; ++i) {
    Tensor& y = judged.trial.got.get("y");
    y.set(i, y.at(i) + (i % 2 == 0 ? 1 : 1000) * static_cast<double>(i + 1));
  }
  judge::values(judged.trial);
  const auto& worst = judged.trial.row.worst;
  ASSERT_EQ(worst.size(), 5u);
  for (size_t i = 1; i < worst.size(); ++i) EXPECT_GE(worst[i - 1].error_over_budget, worst[i].error_over_budget);
  EXPECT_EQ(worst[0].error_over_budget, judged.trial.row.figures["error_over_budget"]);
  for (size_t i = 0; i < 4; ++i) EXPECT_GT(std::fabs(worst[i].got - worst[i].want), 900);
}

// The picture of a failure: one cell for each element of a small tensor, in its place.
TEST(ValuesRow, MapsErrorsToTheirPlace) {
  Judged judged;
  judged_with(judged, "y", 2 * 40 + 5, [](double) { return kNan; });
  ASSERT_EQ(judged.trial.row.maps.size(), 2u);
  const ErrorMap& map = judged.trial.row.maps[0];
  EXPECT_EQ(map.tensor, "y");
  ASSERT_EQ(std::pair(map.rows, map.cols), std::pair(4, 40));
  for (size_t i = 0; i < map.cells.size(); ++i) EXPECT_EQ(map.cells[i] > 1, i == 2 * 40 + 5) << i;
}

TEST(ValuesRow, MapsOfLargeTensorsAreCutIntoCells) {
  Judged judged("f32 rows=130 cols=65 init=zero");
  judged_with(judged, "y", 129 * 65 + 64, [](double) { return kNan; });
  const ErrorMap& map = judged.trial.row.maps[0];
  ASSERT_EQ(std::pair(map.rows, map.cols), std::pair(44, 33));  // three rows and two columns each
  EXPECT_EQ(map.cells.back(), kInfinity);
  EXPECT_EQ(std::count_if(map.cells.begin(), map.cells.end(), [](double cell) { return cell > 1; }), 1);
}

// A contract that only adds and copies leaves no room where its data adds exactly.
TEST(ValuesExact, LinearOpsOnExactDataHaveNoBudget) {
  Contract contract = judged_contract();
  contract.linear = true;
  for (const std::string fill : {"integers", "normal"}) {
    const Case c =
        *parse_case("triple_and_total/made_up f32 rows=4 cols=40 init=zero fill=" + fill + " seed=7 schedule=0");
    for (const ExpectedTensor& tensor : Oracle{contract, {}, c, make_tensors(contract, c)}.expect())
      for (const double budget : tensor.budget) EXPECT_EQ(budget == 0, fill == "integers") << tensor.name;
  }
}

TEST(ValuesExact, WhatLinearOpsMultiplyByAFractionIsRounded) {
  Contract contract = judged_contract();
  contract.linear = true;
  Case c = *parse_case("triple_and_total/made_up f32 rows=4 cols=40 init=zero fill=integers seed=7 schedule=0");
  const auto least = [&](const std::string& factor) {
    c.set("alpha", factor);
    const auto expected = Oracle{contract, {}, c, make_tensors(contract, c)}.expect();
    return std::ranges::min(expected.at(1).budget);
  };
  EXPECT_EQ(least("-2"), 0);
  EXPECT_GT(least("-1.3"), 0);
}

// A wider precision is what a variant declares, and the only thing that widens a budget.
TEST(ValuesExact, DeclaredPrecisionWidensBudgets) {
  Judged judged;
  Variant declared;
  declared.accumulate = Accumulate::f16;
  const auto narrow = judged.trial.oracle().expect();
  const auto wide = Oracle{judged.contract, declared, judged.c, judged.trial.given}.expect();
  for (size_t i = 0; i < narrow[0].budget.size(); ++i) EXPECT_GT(wide[0].budget[i], 100 * narrow[0].budget[i]);
}

}  // namespace
}  // namespace assay

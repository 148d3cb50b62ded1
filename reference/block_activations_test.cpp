// Activations that are packed on the way: what a budget of products has for codes that flip, against real flips.
#include "reference/block_activations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/base/rng.h"
#include "harness/tensor/fill.h"

namespace assay::reference {
namespace {

constexpr double kNoise = 2e-7;  // relative, of activations: what a norm before them errs by
constexpr int kTrials = 8000;
constexpr size_t kTerms = 256;

std::vector<double> packed(const std::vector<double>& x) { return activation_row("q8_k", x).x; }

// One row of activations that are known to 2e-7, and one of weights.
struct Row {
  std::vector<double> x, w, noisy;
  std::vector<Tracked> tracked;

  explicit Row(uint64_t seed) {
    Rng rng = Rng::stream(seed, "flips");
    for (size_t k = 0; k < kTerms; ++k) {
      x.push_back(normal(rng));
      w.push_back(normal(rng));
      noisy.push_back(x[k] * (1 + kNoise * normal(rng)));
      tracked.emplace_back(x[k], kNoise * kNoise * x[k] * x[k], 0);
    }
  }
  double dot(const std::vector<double>& of) const {
    double sum = 0;
    for (size_t k = 0; k < kTerms; ++k) sum += of[k] * w[k];
    return sum;
  }
  Tracked budget(const ActivationRow<Tracked>& row) const {
    return sum_of_products(Sum<Tracked>(), row, [&](int64_t k) { return Tracked(w[static_cast<size_t>(k)]); });
  }
};

// The same row without what codes that flip add.
ActivationRow<Tracked> without_flips(ActivationRow<Tracked> row) {
  for (Tracked& each : row.x) each.e = Tracked::rounding(each.v);
  return row;
}

TEST(BlockActivations, FlipsAreInsideTheBudgetAndFarOutsideOneWithoutThem) {
  int64_t flipped = 0, past_with = 0, past_without = 0, wider = 0;
  double squares = 0, largest_with = 0, largest_without = 0;
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    const Row row(seed);
    const std::vector<double> exact = packed(row.x), got = packed(row.noisy);
    for (size_t k = 0; k < kTerms; ++k) flipped += std::fabs(got[k] - exact[k]) > 1e-3;  // a quantum is some 2e-2
    const double error = std::fabs(row.dot(got) - row.dot(exact)), size = std::sqrt(static_cast<double>(kTerms));
    const ActivationRow<Tracked> coded = activation_row("q8_k", row.tracked);
    const double with = error / (kBudgetFactor * row.budget(coded).spread());
    const double without = error / (kBudgetFactor * row.budget(without_flips(coded)).spread());
    past_with += with > 1;
    past_without += without > 1;
    largest_with = std::max(largest_with, with);
    largest_without = std::max(largest_without, without);
    squares += error * error / size / size;
    wider += row.budget(coded).spread() > 2 * row.budget(without_flips(coded)).spread();
  }
  const double codes = static_cast<double>(kTrials) * static_cast<double>(kTerms);
  EXPECT_EQ(past_with, 0) << "worst " << largest_with;
  EXPECT_GT(largest_with, 0.2) << "room for more than flips";
  EXPECT_GT(largest_without, 100);
  EXPECT_GE(past_without, kTrials / 2000);
  EXPECT_LT(wider, kTrials / 20) << "rows without a code near a threshold keep their budget";
  EXPECT_NEAR(static_cast<double>(flipped) / codes, 9e-6, 5e-6);
  EXPECT_NEAR(std::sqrt(squares / kTrials), 6e-5, 3e-5);
  RecordProperty("past_without", std::to_string(past_without));
  RecordProperty("worst_with", std::to_string(largest_with));
  RecordProperty("worst_without", std::to_string(largest_without));
  RecordProperty("wider", std::to_string(wider));
}

TEST(BlockActivations, AThresholdOutOfReachAddsNothing) {
  EXPECT_EQ(flip_variance(3, 3.2, 0.01), 0);
  EXPECT_EQ(flip_variance(127, 127, 0.01), 0) << "there is no larger code";
  EXPECT_EQ(flip_variance(0, 0, 0), 0);
}

TEST(BlockActivations, AThresholdWithinReachHasRoomForAWholeQuantum) {
  for (const double distance : {0.0, 0.01, 0.02, 0.039}) {
    const double variance = flip_variance(3, 3.5 - distance, 0.01);
    EXPECT_GE(kBudgetFactor * std::sqrt(variance), 1) << distance;
    EXPECT_LE(variance, 0.5) << distance;
  }
  EXPECT_NEAR(flip_variance(3, 3.5, 0.01), 0.5, 1e-12) << "either of two codes";
  EXPECT_NEAR(flip_variance(3, 3, 10), 100, 2) << "where codes hardly matter, the variance of the quotient";
}

// Twos in a block where 4 is the largest are at 63.5 quanta. One rule for all of them: beside weights of one sign their
// shifts add up.
TEST(BlockActivations, QuotientsHalfWayGoByTheKernelsRuleTogether) {
  std::vector<Tracked> x;
  for (size_t k = 0; k < kTerms; ++k) x.emplace_back(k == 0 ? 4 : k % 2 == 0 ? 2 : -2);
  const ActivationRow<Tracked> row = activation_row("q8_k", x);
  ASSERT_EQ(row.half_way.size(), kTerms - 1);
  const double d = 4.0 / 127;
  EXPECT_NEAR(row.x[2].v, 64 * d, 1e-15) << "to even";
  const Tracked of_one_sign =
      sum_of_products(Sum<Tracked>(), row, [](int64_t k) { return Tracked(k % 2 == 1 ? 1 : 0); });
  EXPECT_GE(kBudgetFactor * of_one_sign.spread(), 128 * d) << "128 at -63.5, which floor(x + 0.5) takes up to -63";
  const Tracked of_none = sum_of_products(Sum<Tracked>(), row, [](int64_t k) { return Tracked(k == 0 ? 1 : 0); });
  EXPECT_LT(of_none.spread(), d * 1e-3);
}

// Ones beside a largest of 2 (and a little) are next to 63.5 quanta, all of them: what flips one flips them all.
TEST(BlockActivations, EqualElementsFlipTogether) {
  std::vector<double> x(kTerms, 1.0);
  x[0] = 2 * (1 + 1e-8);
  for (size_t k = 1; k < kTerms; k += 2) x[k] = -1;
  std::vector<Tracked> tracked;
  for (const double each : x) tracked.emplace_back(each, kNoise * kNoise * each * each, 0);
  const ActivationRow<Tracked> row = activation_row("q8_k", tracked);
  ASSERT_TRUE(row.half_way.empty());
  ASSERT_EQ(row.together.size(), 1u);
  EXPECT_EQ(row.together[0].size(), kTerms - 1);
  const double d = x[0] / 127;
  const auto of_their_signs = [](int64_t k) { return Tracked(k == 0 ? 0 : k % 2 == 0 ? 1 : -1); };
  const auto of_one_sign = [](int64_t k) { return Tracked(k % 2 == 1 ? 1 : 0); };
  EXPECT_GE(kBudgetFactor * sum_of_products(Sum<Tracked>(), row, of_their_signs).spread(), (kTerms - 1) * d);
  EXPECT_GE(kBudgetFactor * sum_of_products(Sum<Tracked>(), row, of_one_sign).spread(), kTerms / 2 * d);
  const Tracked of_few = sum_of_products(Sum<Tracked>(), row, [](int64_t k) { return Tracked(k == 2 || k == 4); });
  EXPECT_LT(kBudgetFactor * of_few.spread(), 7 * d) << "two quanta, with the factor of chances";
}

TEST(BlockActivations, ABlockWithoutANumberHasNone) {
  std::vector<double> x(2 * kTerms, 1.0);
  x[kTerms] = NAN;
  const ActivationRow<double> row = activation_row("q8_k", x);
  EXPECT_EQ(row.x[0], 1);
  for (size_t k = kTerms; k < 2 * kTerms; ++k) EXPECT_TRUE(std::isnan(row.x[k]));
}

TEST(BlockActivations, OfNoneStayWhatTheyAre) {
  const std::vector<double> x = {0.3, NAN};
  EXPECT_EQ(activation_row("none", x).x[0], 0.3);
  EXPECT_TRUE(activation_row("none", x).scale_variance.empty());
}

// 127 zeros of a block whose elements cancelled: a kernel's are not 0, and then the largest of them decides.
TEST(BlockActivations, WhatCancelsToNothingKeepsItsErrors) {
  const ActivationRow<Tracked> row = activation_row("q8_k", std::vector<Tracked>(kTerms, Tracked(0, 1e-14, 0)));
  EXPECT_EQ(row.x[0].v, 0);
  EXPECT_EQ(row.x[0].e, 1e-14);
}

}  // namespace
}  // namespace assay::reference

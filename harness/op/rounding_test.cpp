// Roundings of intermediate results: what a declared name adds, to which scalar, and that nothing else does.
#include "harness/op/rounding.h"
#include "harness/op/sum.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

const Precision kToBf16{.rounds = {"p"}, .rounds_unit = 0x1p-8, .rounds_smallest = 0x1p-134};

TEST(Rounding, RoundsFloatToTheNearestNumberOfTheFormat) {
  EXPECT_EQ(rounded_to(0.3, 0x1p-8, 0), 0.30078125);
  EXPECT_EQ(rounded_to(-0.3, 0x1p-8, 0), -0.30078125);
  EXPECT_EQ(rounded_to(3, 0x1p-8, 0), 3);
  EXPECT_EQ(rounded_to(0x1.8p-24, 0x1p-11, 0x1p-25), 0x1p-23) << "a half of f16's smallest subnormal, to even";
  EXPECT_EQ(rounded_to(0, 0x1p-8, 0), 0);
  EXPECT_TRUE(std::isnan(rounded_to(NAN, 0x1p-8, 0)));
  EXPECT_TRUE(std::isinf(rounded_to(INFINITY, 0x1p-8, 0)));
}

TEST(Rounding, ThatIsNotDeclaredChangesNothing) {
  const TrackedPrecision bf16(kToBf16);
  const Rounding<Tracked> round(false);
  EXPECT_FALSE(round.declared());
  EXPECT_EQ(round(Tracked(0.3, 4, 5)).e, 4);
  EXPECT_EQ(Rounding<float>(false)(0.3F), 0.3F);
}

TEST(Rounding, ThatIsDeclaredAddsItsVarianceToTrackedAndRoundsFloat) {
  const TrackedPrecision bf16(kToBf16);
  const Rounding<Tracked> round(true);
  EXPECT_NEAR(round(Tracked(0.3, 0, 5)).e, 0.09 * 0x1p-16 / 3, 1e-20);
  EXPECT_EQ(round(Tracked(0.3, 0, 5)).c, 5);
  EXPECT_NEAR(round(Tracked(0.3), 2).e, 5 * 0.09 * 0x1p-16 / 3, 1e-20) << "the third of three equal ones: 9 - 4";
  EXPECT_EQ(round(Tracked(3)).e, 0) << "is a bf16";
  EXPECT_EQ(Rounding<float>(true)(0.3F), 0.30078125F);
  EXPECT_EQ(Rounding<double>(true)(0.3), 0.3) << "the right value does not depend on what is declared";
}

TEST(Rounding, OperandsAreRoundedToTf32WhereThatIsDeclared) {
  EXPECT_EQ(operand(Tracked(0.3)).e, 0);
  EXPECT_EQ(operand(0.3F), 0.3F);
  const TrackedPrecision tf32({.operands = *operands_of(Accumulate::tf32)});
  EXPECT_GT(operand(Tracked(0.3)).e, 0);
  EXPECT_EQ(operand(Tracked(0.30078125)).e, 0) << "a bf16 is a tf32";
  EXPECT_EQ(operand(0.3), 0.3);
  EXPECT_NEAR(operand(0.3F), 0.3F, 0.3 * 0x1p-11);
  EXPECT_NE(operand(0.3F), 0.3F);
  EXPECT_EQ(operand(0x1p-140F), 0) << "below half of 2^-136, the smallest tf32";
  EXPECT_GT(operand(Tracked(0x1p-140)).e, 0x1p-280) << "all of it may be lost";
}

TEST(Rounding, OperandsAreRoundedToBf16WhereThatIsDeclared) {
  const TrackedPrecision bf16({.operands = *operands_of(Accumulate::bf16_operands)});
  EXPECT_EQ(operand(0.3F), 0.30078125F);
  EXPECT_EQ(operand(0x1p-135F), 0) << "below half of 2^-133, the smallest bf16";
  EXPECT_EQ(operand(0x1p-133F), 0x1p-133F);
}

TEST(Rounding, OperandsAreRoundedToF16WhereThatIsDeclaredAndMayPassItsLargest) {
  const TrackedPrecision f16({.operands = *operands_of(Accumulate::f16_operands)});
  EXPECT_EQ(operand(0.3F), 0.300048828125F);
  EXPECT_EQ(operand(0x1p-26F), 0) << "below half of 2^-24, the smallest f16";
  EXPECT_EQ(operand(65504.0F), 65504);
  EXPECT_EQ(operand(-70000.0F), -INFINITY);
  EXPECT_TRUE(std::isfinite(operand(Tracked(65504)).e));
  Sum<Tracked> sum;
  sum.add_product(Tracked(70000), Tracked(0));
  sum.add_product(Tracked(1), Tracked(1));
  EXPECT_EQ(sum.value().e, INFINITY) << "any result is right";
}

// 1 + k/1024 is a tf32 and 0.3 is none: its rounding moves all products to the same side.
TEST(Rounding, OneOperandOfAllProductsErrsInStep) {
  const TrackedPrecision tf32({.operands = *operands_of(Accumulate::tf32)});
  Sum<Tracked> sum;
  double moved = 0;
  for (int k = 0; k < 1000; ++k) {
    const double other = 1 + k * 0x1p-10;
    sum.add_product(Tracked(0.3), Tracked(other));
    moved += (static_cast<double>(operand(0.3F)) - 0.3) * other;
  }
  EXPECT_GE(kBudgetFactor * sum.value().spread(), std::fabs(moved));
  EXPECT_LT(kBudgetFactor * sum.value().spread(), 1.1 * std::fabs(moved));
}

// The loss of operands is all of the budget then, and the sum is rounded as well.
TEST(Rounding, OperandsThatErrInStepLeaveRoomForTheSumsOwnRoundings) {
  Sum<Tracked> exact_operands, sum;
  double moved = 0;
  for (int k = 0; k < 1000; ++k) exact_operands.add_product(Tracked(0.3), Tracked(1 + k * 0x1p-10));
  const TrackedPrecision tf32({.operands = *operands_of(Accumulate::tf32)});
  for (int k = 0; k < 1000; ++k) {
    sum.add_product(Tracked(0.3), Tracked(1 + k * 0x1p-10));
    moved += (static_cast<double>(operand(0.3F)) - 0.3) * (1 + k * 0x1p-10);
  }
  EXPECT_GE(sum.value().spread(), std::fabs(moved) / kBudgetFactor + 0.9 * exact_operands.value().spread());
}

TEST(Rounding, EqualNumbersAreCountedForADeclaredOneOnly) {
  Repeats<Tracked> repeats;
  EXPECT_EQ(repeats.before(Rounding<Tracked>(false), 1), 0);
  EXPECT_EQ(repeats.before(Rounding<Tracked>(false), 1), 0);
  EXPECT_EQ(repeats.before(Rounding<Tracked>(true), 1), 0);
  EXPECT_EQ(repeats.before(Rounding<Tracked>(true), 1), 1);
  EXPECT_EQ(repeats.before(Rounding<Tracked>(true), 2), 0);
}

TEST(Precision, FlushingTakesAllOfASubnormal) {
  const Tracked tiny(0x1p-70);
  EXPECT_LT((tiny * tiny).spread(), 0x1p-148);
  const TrackedPrecision flushes({.ftz = true});
  EXPECT_GE((tiny * tiny).spread(), 0x1p-140);
  EXPECT_EQ((Tracked(1) * Tracked(2)).c, 0);
}

TEST(Precision, FastIntrinsicsErrAsDocumented) {
  const auto spread = [](auto f, double x) { return f(Tracked(x)).spread(); };
  const auto exp_of = [](Tracked x) { return exp(x); };
  const auto sin_of = [](Tracked x) { return sin(x); };
  const auto inverse = [](Tracked x) { return Tracked(1) / x; };
  const double exact_exp = spread(exp_of, -20), exact_sin = spread(sin_of, 3.14), exact_inverse = spread(inverse, 3);
  const TrackedPrecision fast({.fast_math = true});
  EXPECT_GT(spread(exp_of, -20), 10 * exact_exp);
  EXPECT_LT(spread(exp_of, -INFINITY), 1e-30) << "0 is 0";
  EXPECT_GT(spread(sin_of, 3.14), 100 * exact_sin) << "an absolute error, however small the sine";
  EXPECT_GT(spread(inverse, 3), 2 * exact_inverse);
}

TEST(Precision, NamesOfAccumulationsAreReadBack) {
  for (const Accumulate known : {Accumulate::f32, Accumulate::tf32, Accumulate::bf16_operands, Accumulate::f16_operands,
                                 Accumulate::f16, Accumulate::bf16})
    EXPECT_EQ(parse_accumulate(name(known)), known);
  EXPECT_EQ(parse_accumulate("fp16"), std::nullopt);
}

}  // namespace
}  // namespace assay

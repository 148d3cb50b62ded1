// Every registered op's reference, over random cases made from its contract alone: the three scalars must agree.
//
// double and Tracked must agree to the bit, or the budget belongs to another computation than the value. double and
// long double must agree within the budget that Tracked gives for arithmetic in double: a reference that loses more, by
// cancellation or a wrong formula for its own error, is no judge of f32 kernels.
#include "harness/op/reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/op/registry.h"
#include "harness/op/test_cases.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr int kCases = 150;
// kBudgetFactor and a half: what a sum of equal terms loses in step is seen by adding them in double (RoundedChain),
// which shows nothing where double itself is the precision.
constexpr double kFactorOfOrders = 6;

// Arithmetic in double, whose subnormals are out of reach here.
class DoublePrecision {
 public:
  DoublePrecision() : precision_({.unit = 0x1p-53, .smallest = 0x1p-1074}) {}

 private:
  TrackedPrecision precision_;
};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

template <class Check>
void for_every_op(Check check) {
  ASSERT_FALSE(all_ops().empty());
  for (const Contract& contract : all_ops()) {
    Rng rng = Rng::stream(1, contract.name);
    int made = 0;
    for (int attempt = 0; attempt < 20 * kCases && made < kCases; ++attempt) {
      const std::optional<Case> c = any_case(contract, rng);
      if (!c) continue;
      ++made;
      SCOPED_TRACE(print(*c));
      check(contract, *c, make_tensors(contract, *c));
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GE(made, kCases / 2) << contract.name << " refuses most random cases";
  }
}

TEST(References, ValueAndTrackedAgreeToTheBit) {
  for_every_op([](const Contract& contract, const Case& c, const Tensors& given) {
    const auto values = contract.reference.value(c, given);
    const auto tracked = contract.reference.tracked(c, given);
    ASSERT_EQ(values.size(), tracked.size());
    for (size_t t = 0; t < values.size(); ++t) {
      ASSERT_EQ(values[t].name, tracked[t].name);
      for (int64_t i = 0; i < std::ssize(values[t].values); ++i)
        ASSERT_TRUE(same(values[t][i], tracked[t][i].v))
            << values[t].name << index_text(values[t].shape, i) << ": " << values[t][i] << ", " << tracked[t][i].v;
    }
  });
}

TEST(References, TrackedBudgetsAreFiniteAndNotNegative) {
  for_every_op([](const Contract& contract, const Case& c, const Tensors& given) {
    for (const RefTensor<Tracked>& tensor : contract.reference.tracked(c, given))
      for (int64_t i = 0; i < std::ssize(tensor.values); ++i)
        ASSERT_TRUE(given.get(tensor.name).regions().at(i) == Region::unspecified ||
                    (tensor[i].e >= 0 && tensor[i].c >= 0 && std::isfinite(tensor[i].spread())))
            << tensor.name << index_text(tensor.shape, i) << ": " << tensor[i].v << " e=" << tensor[i].e
            << " c=" << tensor[i].c;
  });
}

// Each step of a composite is here by itself: what steps hand on errs independently (composite.h), which roundings of
// equal rows do not.
TEST(References, DoubleAgreesWithLongDoubleWithinItsOwnBudget) {
  const DoublePrecision precision;
  for_every_op([](const Contract& contract, const Case& c, const Tensors& given) {
    if (!contract.steps.empty()) return;
    const auto wide = contract.reference.wide(c, given);
    const auto tracked = contract.reference.tracked(c, given);
    ASSERT_EQ(wide.size(), tracked.size());
    for (size_t t = 0; t < wide.size(); ++t)
      for (int64_t i = 0; i < std::ssize(wide[t].values); ++i) {
        const Tracked& element = tracked[t][i];
        const auto want = static_cast<double>(wide[t][i]);  // beyond the range of double: infinity, as there
        if (same(element.v, want)) continue;
        const auto other = tracked[t].alternatives.find(i);
        if (other != tracked[t].alternatives.end() && same(other->second.v, want)) continue;
        const double error = std::fabs(static_cast<double>(static_cast<long double>(element.v) - wide[t][i]));
        ASSERT_LE(error, kFactorOfOrders * element.spread() + 0x1p-53 * std::fabs(want) + 0x1p-1000)
            << wide[t].name << index_text(wide[t].shape, i) << ": double " << element.v << ", long double " << want;
      }
  });
}

// A reference that computes a sample of its rows leaves the other elements unknown, and changes nothing of what it
// computes.
TEST(References, ASampleOfTheRowsIsAPartOfTheWhole) {
  int64_t unknown = 0, known = 0;
  for_every_op([&](const Contract& contract, const Case& c, const Tensors& given) {
    const auto whole = contract.reference.tracked(c, given);
    const double limit = std::exchange(reference_flops_max, 0);
    const auto sample = contract.reference.tracked(c, given);
    reference_flops_max = limit;
    for (size_t t = 0; t < whole.size(); ++t)
      for (int64_t i = 0; i < std::ssize(whole[t].values); ++i) {
        const Tracked &want = whole[t][i], &got = sample[t][i];
        (std::isinf(got.e) ? unknown : known) += 1;
        ASSERT_TRUE(std::isinf(got.e) || (same(got.v, want.v) && got.e == want.e && got.c == want.c))
            << whole[t].name << index_text(whole[t].shape, i);
      }
  });
  EXPECT_GT(unknown, 0);
  EXPECT_GT(known, 0);
}

TEST(References, OpsThatOnlyMoveGiveTheSameElementsAsBitsAndAsValues) {
  for_every_op([](const Contract& contract, const Case& c, const Tensors& given) {
    if (!contract.reference.bits) return;
    const auto values = contract.reference.value(c, given);
    const auto bits = contract.reference.bits(c, given);
    ASSERT_EQ(values.size(), bits.size());
    for (size_t t = 0; t < bits.size(); ++t)
      for (int64_t i = 0; i < std::ssize(bits[t].values); ++i)
        ASSERT_TRUE(same(to_double(given.get(bits[t].name).dtype(), bits[t][i].bits), values[t][i]))
            << bits[t].name << index_text(bits[t].shape, i);
  });
}

}  // namespace
}  // namespace assay

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
// Half as much again as kBudgetFactor. A budget finds what a sum of equal terms loses in step by adding them in double
// (RoundedChain), which finds nothing where double itself is the precision.
constexpr double kFactorOfOrders = 6;

// Arithmetic in double, whose subnormals are out of reach here.
class DoublePrecision {
 public:
  DoublePrecision() : precision_({.unit = 0x1p-53, .smallest = 0x1p-1074}) {}

 private:
  TrackedPrecision precision_;
};

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

class EveryReference : public testing::TestWithParam<std::string> {};

void expect_equal_values(const RefTensor<double>& value, const RefTensor<Tracked>& tracked) {
  ASSERT_EQ(value.name, tracked.name);
  for (int64_t i = 0; i < std::ssize(value.values); ++i)
    ASSERT_TRUE(same(value[i], tracked[i].v))
        << value.name << index_text(value.shape, i) << ": " << value[i] << ", " << tracked[i].v;
}

void expect_budgets(const RefTensor<Tracked>& tracked, const Regions& regions) {
  for (int64_t i = 0; i < std::ssize(tracked.values); ++i)
    ASSERT_TRUE(regions.at(i) == Region::unspecified ||
                (tracked[i].e >= 0 && tracked[i].c >= 0 && std::isfinite(tracked[i].spread())))
        << tracked.name << index_text(tracked.shape, i) << ": " << tracked[i].v << " e=" << tracked[i].e
        << " c=" << tracked[i].c;
}

void expect_part_of(const RefTensor<Tracked>& whole, const RefTensor<Tracked>& sample) {
  for (int64_t i = 0; i < std::ssize(whole.values); ++i) {
    const Tracked &want = whole[i], &got = sample[i];
    ASSERT_TRUE(std::isinf(got.e) || (same(got.v, want.v) && got.e == want.e && got.c == want.c))
        << whole.name << index_text(whole.shape, i);
  }
}

void expect_equal_bits(const RefTensor<double>& value, const RefTensor<Bits>& bits, DType dtype) {
  for (int64_t i = 0; i < std::ssize(bits.values); ++i)
    ASSERT_TRUE(same(to_double(dtype, bits[i].bits), value[i])) << bits.name << index_text(bits.shape, i);
}

void expect_close_to_wide(const RefTensor<Tracked>& tracked, const RefTensor<long double>& wide) {
  for (int64_t i = 0; i < std::ssize(wide.values); ++i) {
    const Tracked& element = tracked[i];
    const auto want = static_cast<double>(wide[i]);  // beyond the range of double: infinity, as there
    if (same(element.v, want)) continue;
    const auto other = tracked.alternatives.find(i);
    if (other != tracked.alternatives.end() && same(other->second.v, want)) continue;
    const double error = std::fabs(static_cast<double>(static_cast<long double>(element.v) - wide[i]));
    ASSERT_LE(error, kFactorOfOrders * element.spread() + 0x1p-53 * std::fabs(want) + 0x1p-1000)
        << wide.name << index_text(wide.shape, i) << ": double " << element.v << ", long double " << want;
  }
}

void check(const Contract& contract, const Case& c) {
  const Reference& reference = contract.reference;
  const Tensors given = make_tensors(contract, c);
  const auto values = reference.value(c, given);
  const auto tracked = reference.tracked(c, given);
  // A sample of the rows is a part of the whole; the other elements are unknown.
  const double limit = std::exchange(reference_flops_max, 0);
  const auto sample = reference.tracked(c, given);
  reference_flops_max = limit;
  const auto bits = reference.bits ? reference.bits(c, given) : std::vector<RefTensor<Bits>>();
  ASSERT_EQ(values.size(), tracked.size());
  for (size_t t = 0; t < values.size(); ++t) {
    const Tensor& tensor = given.get(values[t].name);
    ASSERT_NO_FATAL_FAILURE(expect_equal_values(values[t], tracked[t]));
    ASSERT_NO_FATAL_FAILURE(expect_budgets(tracked[t], tensor.regions()));
    ASSERT_NO_FATAL_FAILURE(expect_part_of(tracked[t], sample[t]));
    if (!reference.bits) continue;
    ASSERT_NO_FATAL_FAILURE(expect_equal_bits(values[t], bits.at(t), tensor.dtype()));
  }
  // Each step of a composite is here by itself: what steps hand on errs independently (composite.h), which roundings of
  // equal rows do not.
  if (!contract.steps.empty()) return;
  const DoublePrecision precision;
  const auto in_double = reference.tracked(c, given);
  const auto wide = reference.wide(c, given);
  ASSERT_EQ(wide.size(), in_double.size());
  for (size_t t = 0; t < wide.size(); ++t) ASSERT_NO_FATAL_FAILURE(expect_close_to_wide(in_double[t], wide[t]));
}

TEST_P(EveryReference, AgreesInAllScalars) {
  const Contract& contract = *find_op(GetParam());
  Rng rng = Rng::stream(1, contract.name);
  int made = 0;
  for (int attempt = 0; attempt < 20 * kCases && made < kCases; ++attempt) {
    const std::optional<Case> c = any_case(contract, rng);
    if (!c) continue;
    ++made;
    SCOPED_TRACE(print(*c));
    ASSERT_NO_FATAL_FAILURE(check(contract, *c));
  }
  EXPECT_GE(made, kCases / 2) << "it refuses most random cases";
}

INSTANTIATE_TEST_SUITE_P(References, EveryReference, testing::ValuesIn(names_of_ops()),
                         [](const auto& one) { return one.param; });

TEST(References, SomeComputeASampleOfTheirRows) {
  int64_t unknown = 0, known = 0;
  const double limit = std::exchange(reference_flops_max, 0);
  for (const Contract& contract : all_ops()) {
    Rng rng = Rng::stream(1, contract.name);
    const std::optional<Case> c = any_case(contract, rng);
    if (!c) continue;
    for (const RefTensor<Tracked>& tensor : contract.reference.tracked(*c, make_tensors(contract, *c)))
      for (const Tracked& element : tensor.values) (std::isinf(element.e) ? unknown : known) += 1;
  }
  reference_flops_max = limit;
  EXPECT_GT(unknown, 0);
  EXPECT_GT(known, 0);
}

}  // namespace
}  // namespace assay

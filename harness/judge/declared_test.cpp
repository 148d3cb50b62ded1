// Tests that contracts list the roundings and formulas that their references know: no name without effect, none that is
// not listed.
#include <gtest/gtest.h>

#include <cmath>

#include "harness/judge/judge.h"
#include "harness/op/registry.h"
#include "harness/op/test_cases.h"

namespace assay {
namespace {

constexpr int kCases = 60;

class EveryContract : public testing::TestWithParam<std::string> {
 protected:
  const Contract& contract = *find_op(GetParam());

  template <class Check>
  void for_random_cases(Check check) const {
    Rng rng = Rng::stream(5, contract.name);
    for (int made = 0, attempt = 0; made < kCases && attempt < 50 * kCases; ++attempt) {
      const std::optional<Case> c = any_case(contract, rng, 1'500);
      if (!c || element_count(contract, *c) == 0) continue;
      ++made;
      check(*c, make_tensors(contract, *c));
    }
  }

  // Whether some element of some case has another budget for `variant` in `formula` than for a plain one in `than`.
  bool has_effect(const Variant& variant, std::string_view formula, std::string_view than) const {
    bool differs = false;
    for_random_cases([&](const Case& c, const Tensors& given) {
      if (differs || (c.dtype == DType::f32 && contract.dtypes.size() > 1)) return;  // rounds nothing to its dtype
      const Expected plain = Oracle{contract, {}, c, given}.expect(than),
                     other = Oracle{contract, variant, c, given}.expect(formula);
      for (size_t t = 0; t < plain.size(); ++t) differs = differs || plain[t].budget != other[t].budget;
    });
    return differs;
  }
  bool has_effect_by_some_formula(const Variant& variant) const {
    return has_effect(variant, {}, {}) || std::ranges::any_of(contract.formulas, [&](const Formula& formula) {
             return has_effect(variant, formula.name, formula.name);
           });
  }
};

TEST_P(EveryContract, ListsTheNamesThatItsReferenceUses) {
  std::set<std::string> used_roundings, used_formulas, roundings, formulas;
  for_random_cases([&](const Case& c, const Tensors& given) {
    NamesUsed used;  // not by what derives the inputs, as the forward's results for a backward
    contract.reference.tracked(c, given);
    used_roundings.merge(used.roundings);
    used_formulas.merge(used.formulas);
  });
  for (const NamedRounding& rounding : contract.roundings) roundings.insert(rounding.name);
  for (const Formula& formula : contract.formulas) formulas.insert(formula.name);
  for (const Step& step : contract.steps) {  // a composite's reference is theirs
    for (const NamedRounding& rounding : find_op(step.op)->roundings) roundings.insert(rounding.name);
    for (const Formula& formula : find_op(step.op)->formulas) formulas.insert(formula.name);
  }
  EXPECT_EQ(used_roundings, roundings);
  EXPECT_EQ(used_formulas, formulas);
}

TEST_P(EveryContract, HasNoNameWithoutEffect) {
  for (const NamedRounding& rounding : contract.roundings) {
    Variant variant;
    variant.rounds = {rounding.name};
    EXPECT_TRUE(has_effect_by_some_formula(variant)) << rounding.name;
    EXPECT_FALSE(rounding.states.empty()) << rounding.name;
  }
  for (const Formula& formula : contract.formulas) EXPECT_TRUE(has_effect({}, formula.name, {})) << formula.name;
  Variant unknown;
  unknown.rounds = {"no such rounding"};
  EXPECT_FALSE(has_effect(unknown, "no such formula", {}));
}

// A right kernel fits some formula whatever the others say, so formulas must be held against each other: in f32, on
// data of ordinary size, they differ by roundings of what they are given and of their own. A sign, a term or a factor
// is more.
TEST_P(EveryContract, HasFormulasThatComputeTheSame) {
  constexpr double kRoundingsOfWhatIsGiven = 64;
  int64_t compared = 0;
  for_random_cases([&](Case c, const Tensors&) {
    if (HasFailure()) return;
    c.dtype = DType::f32;
    c.fill = "normal";
    const Tensors given = make_tensors(contract, c);
    const Variant plain{};
    const Oracle oracle{contract, plain, c, given};
    const Expected canonical = oracle.expect();
    for (const Formula& formula : oracle.other_formulas()) {
      const Expected other = oracle.expect(formula.name);
      for (size_t t = 0; t < canonical.size(); ++t)
        for (int64_t i = 0; i < canonical[t].count(); ++i) {
          const auto at = static_cast<size_t>(i);
          if (!canonical[t].is_known(i) || !other[t].is_known(i) || !std::isfinite(canonical[t].value[at])) continue;
          ++compared;
          const double allowed = kRoundingsOfWhatIsGiven * (canonical[t].budget[at] + other[t].budget[at]);
          ASSERT_LE(std::fabs(canonical[t].value[at] - other[t].value[at]), allowed)
              << formula.name << ": " << canonical[t].name << index_text(canonical[t].shape, i) << " of " << print(c);
        }
    }
  });
  EXPECT_EQ(compared > 0, !contract.formulas.empty());
}

bool writes_codes(const Contract& contract) {
  return std::ranges::all_of(contract.tensors, [](const TensorSpec& tensor) {
    return tensor.role == Role::input || tensor.dtype == DType::u8;
  });
}

// Other arithmetic is wider for every op that computes; tf32 where it multiplies matrices, in f32, and nowhere else.
TEST_P(EveryContract, KnowsOtherArithmetic) {
  if (contract.reference.bits || contract.linear) return;
  bool f16_differs = false, tf32_differs = false;
  for_random_cases([&](const Case& c, const Tensors& given) {
    Variant f16, tf32;
    f16.accumulate = Accumulate::f16;
    tf32.accumulate = Accumulate::tf32;
    const Expected plain = Oracle{contract, {}, c, given}.expect();
    const Expected in_f16 = Oracle{contract, f16, c, given}.expect(),
                   in_tf32 = Oracle{contract, tf32, c, given}.expect();
    for (size_t t = 0; t < plain.size(); ++t) {
      f16_differs = f16_differs || plain[t].budget != in_f16[t].budget;
      tf32_differs = tf32_differs || plain[t].budget != in_tf32[t].budget;
    }
  });
  EXPECT_TRUE(f16_differs || writes_codes(contract) || contract.name.ends_with("_mask"))
      << "a code or a mask only decides";
  EXPECT_EQ(tf32_differs, contract.multiplies_matrices);
}

INSTANTIATE_TEST_SUITE_P(Declared, EveryContract, testing::ValuesIn(names_of_ops()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace assay

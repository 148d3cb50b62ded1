// Aimed cases of ops as they are: around numbers, inside domains, all choices, the same each time.
#include "harness/search/aimed_cases.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "harness/op/launch_choice.h"
#include "harness/op/registry.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsSubsetOf;
using testing::IsSupersetOf;

Variant softmax_variant(std::vector<Domain> domains = {}) {
  return {.op = "softmax_forward",
          .name = "made_up",
          .summary = "for tests",
          .dtypes = {DType::f32, DType::bf16},
          .blocks = {32, 256},
          .domains = std::move(domains)};
}

std::vector<Aim> aims_of(const Variant& variant, const std::vector<int64_t>& numbers) {
  return aimed_cases(*find_op(variant.op), variant, numbers, 7);
}

std::set<std::string> values(const std::vector<Aim>& aims, const std::string& at) {
  std::set<std::string> all;
  for (const Aim& aim : aims)
    if (aim.at == at)
      for (const Case& c : aim.cases)
        all.insert(at == "fill" ? c.fill : at == "block" ? std::to_string(*c.block) : c.text(at));
  return all;
}

TEST(AimedCases, GoAroundTheNumbersAndTimesABlock) {
  EXPECT_THAT(values(aims_of(softmax_variant(), {3, 5000}), "cols"),
              ElementsAre("2", "3", "4", "4999", "5000", "5001", "767", "768", "769", "95", "96", "97"));
  EXPECT_EQ(values(aims_of(softmax_variant(), {}), "cols"), std::set<std::string>{}) << "nothing says which";
}

TEST(AimedCases, StayInTheDomainsOfTheVariant) {
  const std::vector<Aim> aims =
      aims_of(softmax_variant({{"cols", 0, 0, {"64", "4096"}}, {"causal", 0, 0, {"0"}}}), {64, 100, 4096});
  EXPECT_THAT(values(aims, "cols"), ElementsAre("4096", "64"));
  EXPECT_EQ(values(aims, "causal"), std::set<std::string>{}) << "one choice is none";
  for (const Aim& aim : aims)
    for (const Case& c : aim.cases) EXPECT_FALSE(refused_choice(*find_op(c.op), softmax_variant(), c)) << print(c);
}

TEST(AimedCases, GoThroughEachChoice) {
  const std::vector<Aim> aims = aims_of(softmax_variant({{"causal", 0, 0, {"0", "1"}}}), {});
  EXPECT_THAT(values(aims, "causal"), ElementsAre("0", "1"));
  EXPECT_THAT(values(aims, "block"), ElementsAre("256", "32"));
  std::set<std::string> admitted;
  for (const Fill& fill : fills())
    if (admits(*find_op("softmax_forward"), fill)) admitted.insert(fill.name);
  EXPECT_THAT(values(aims, "fill"), IsSubsetOf(admitted));
  EXPECT_THAT(values(aims, "fill"), IsSupersetOf({"normal", "ties"}));
  const auto offsets = std::ranges::find(aims, "offset", &Aim::at);
  ASSERT_NE(offsets, aims.end());
  for (const Case& c : offsets->cases) EXPECT_EQ(c.offset->elements, 1) << print(c);
}

TEST(AimedCases, AreTheSameEachTimeAndOfAllDtypes) {
  const auto lines = [](const std::vector<Aim>& aims) {
    std::vector<std::string> all;
    for (const Aim& aim : aims)
      for (const Case& c : aim.cases) all.push_back(print(c));
    return all;
  };
  EXPECT_EQ(lines(aims_of(softmax_variant(), {3})), lines(aims_of(softmax_variant(), {3})));
  std::set<DType> dtypes;
  for (const Aim& aim : aims_of(softmax_variant(), {3}))
    for (const Case& c : aim.cases) dtypes.insert(c.dtype);
  EXPECT_EQ(dtypes, (std::set{DType::f32, DType::bf16}));
}

}  // namespace
}  // namespace assay

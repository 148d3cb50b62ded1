// Scaled-down cases: admitted, within the limits, with the ratios and remainders of the large one.
#include "harness/search/scale_down.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "harness/op/registry.h"

namespace assay {
namespace {

std::optional<Case> scaled(const std::string& line, const GenerateLimits& limits) {
  const auto c = read_case(line);
  EXPECT_TRUE(c.has_value()) << (c ? "" : c.error().line());
  return scaled_down(*find_op(c->op), *c, limits);
}

std::string dims_of(const std::optional<Case>& c) {
  std::string text;
  if (!c) return "nothing";
  for (const DimSpec& dim : find_op(c->op)->dims) text += dim.name + "=" + c->text(dim.name) + " ";
  return text;
}

TEST(ScaleDown, OfAModelsShapesKeepsWhatMatters) {
  const std::string tail = " causal=1 scale=auto layout=token_major fill=normal seed=1";
  const GenerateLimits limits{.elements_max = 100'000, .flops_max = 20'000'000};
  EXPECT_EQ(dims_of(scaled("attention_forward/* bf16 B=1 Sq=4096 Sk=4096 H=32 HK=8 D=128" + tail, limits)),
            "B=1 Sq=64 Sk=64 H=8 HK=2 D=64 ");
  EXPECT_EQ(dims_of(scaled("attention_forward/* bf16 B=1 Sq=1 Sk=131072 H=64 HK=8 D=128" + tail, limits)),
            "B=1 Sq=1 Sk=128 H=16 HK=2 D=128 ");
  EXPECT_EQ(dims_of(scaled("attention_forward/* bf16 B=1 Sq=4097 Sk=4097 H=28 HK=4 D=128" + tail, limits)),
            "B=1 Sq=65 Sk=65 H=7 HK=1 D=64 ");
  EXPECT_EQ(dims_of(scaled("softmax_forward/* f32 rows=4096 cols=128257 fill=normal seed=1", limits)),
            "rows=256 cols=193 ");
  EXPECT_EQ(dims_of(scaled("transpose_2d/* bf16 rows=8200 cols=8200 fill=normal seed=1", limits)),
            "rows=136 cols=136 ");
}

TEST(ScaleDown, LeavesACaseThatFits) {
  const std::string line =
      "softmax_forward/* f32 rows=3 cols=17 causal=0 scale=1 heads=1 fill=normal seed=1 schedule=0";
  EXPECT_EQ(print(*scaled(line, {})), line);
}

TEST(ScaleDown, NothingWhenNoDimIsLeft) {
  const std::string line = "softmax_forward/* f32 rows=4096 cols=4096 fill=normal seed=1 schedule=0";
  EXPECT_FALSE(scaled(line, {.elements_max = 1, .flops_max = 1'000'000}).has_value());
}

// Any case of any variant, as large as models have them.
Case large_case(uint64_t seed) {
  const auto all = variants();
  const Variant& variant = *all[seed % all.size()];
  const GenerateLimits limits{.elements_max = 10'000'000, .flops_max = 10'000'000'000};
  return generate_case(*find_op(variant.op), variant, variant.dtypes.front(), seed, 0, limits);
}

RC_GTEST_PROP(ScaleDown, IsAdmittedSmallEnoughAndOfTheSameRatios, (uint64_t seed, uint16_t room)) {
  const Case c = large_case(seed);
  const Contract& contract = *find_op(c.op);
  const GenerateLimits limits{.elements_max = 1000 + room, .flops_max = 10'000'000};
  const auto smaller = scaled_down(contract, c, limits);
  RC_PRE(smaller.has_value());
  RC_CLASSIFY(!(*smaller == c), "scaled");
  RC_ASSERT(fits(contract, *smaller, limits));
  RC_ASSERT(conform(contract, *smaller, print(*smaller)).has_value());
  for (const DimSpec& dim : contract.dims) RC_ASSERT(smaller->dim(dim.name) <= c.dim(dim.name));
  if (fits(contract, c, limits)) RC_ASSERT(*smaller == c);
  if (c.find("HK") && c.find("H") && c.dim("HK") > 1)
    RC_ASSERT(smaller->dim("H") * c.dim("HK") == c.dim("H") * smaller->dim("HK"));
}

}  // namespace
}  // namespace assay

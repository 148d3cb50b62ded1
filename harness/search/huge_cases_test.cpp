// Huge cases of ops as they are: long enough, in their domains, the same each time.
#include "harness/search/huge_cases.h"

#include <gmock/gmock.h>

#include <set>

#include "harness/op/huge.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::UnorderedElementsAre;

Variant variant_of(const std::string& op, std::vector<Domain> domains = {}) {
  return {
      .op = op, .name = "made_up", .summary = "for tests", .blocks = {32, 192, 1024}, .domains = std::move(domains)};
}

std::vector<Case> cases_of(const Variant& variant) {
  return huge_cases(*find_op(variant.op), variant, DType::f32, 1).value();
}

TEST(HugeCases, HaveMoreElementsThan32BitsCount) {
  for (const char* op : {"softmax_forward", "transpose_2d", "gemm", "rms_norm_backward"}) {
    const std::vector<Case> cases = cases_of(variant_of(op));
    EXPECT_EQ(cases, cases_of(variant_of(op)));
    ASSERT_FALSE(cases.empty());
    for (const Case& c : cases) {
      EXPECT_GT(largest_tensor(*find_op(op), c), int64_t{1} << 32) << print(c);
      EXPECT_EQ(c.fill, "normal");
      EXPECT_EQ(c.block, 192) << "nearest to what is usual";
      EXPECT_TRUE(base_of(*find_op(op), c).has_value()) << print(c);
    }
  }
}

TEST(HugeCases, MakeEachTensorHuge) {
  std::set<std::string> huge;
  for (const Case& c : cases_of(variant_of("gemm")))
    for (const TensorSpec& spec : find_op("gemm")->tensors)
      if (const auto shape = shape_of(spec, c); shape.size() == 2 && shape[0] * shape[1] > int64_t{1} << 32)
        huge.insert(spec.name);
  EXPECT_THAT(huge, UnorderedElementsAre("a", "b", "c"));
}

TEST(HugeCases, HaveASecondOneForSizesThatFitAnInt) {
  const std::vector<Case> cases = cases_of(variant_of("gelu_forward"));
  ASSERT_THAT(cases, SizeIs(2));
  EXPECT_EQ(cases[0].dim("N"), (int64_t{1} << 32) + 3);
  EXPECT_EQ(cases[1].dim("N"), (int64_t{1} << 31) - 1);
}

TEST(HugeCases, KeepTheDomainsOfTheVariant) {
  const Domain all_that_an_int_holds{"N", 0, (int64_t{1} << 31) - 1};
  const std::vector<Case> cases = cases_of(variant_of("gelu_forward", {all_that_an_int_holds}));
  ASSERT_THAT(cases, SizeIs(1));
  EXPECT_EQ(cases[0].dim("N"), (int64_t{1} << 31) - 1);
  const auto none =
      huge_cases(*find_op("gelu_forward"), variant_of("gelu_forward", {{"N", 0, 1 << 20}}), DType::f32, 1);
  EXPECT_THAT(none.error().what, HasSubstr("N are not long enough"));
}

TEST(HugeCases, AreRefusedWhereNothingRepeats) {
  const auto none = huge_cases(*find_op("tensor_stats"), variant_of("tensor_stats"), DType::f32, 1);
  EXPECT_THAT(none.error().what, HasSubstr("names no dim along which it repeats"));
}

}  // namespace
}  // namespace assay

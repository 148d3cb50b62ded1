// Tests where cases move that a variant does not take.
#include "harness/op/supported_case.h"

#include <gtest/gtest.h>

#include "harness/op/registry.h"

namespace assay {
namespace {

void keep(Case&) {}

std::optional<std::string> by_tiles(const Case& c) {
  if (c.dim("M") % 192 == 0 && c.dim("N") % 96 == 0 && c.dim("K") > 0) return std::nullopt;
  return "whole tiles";
}

Case moved(const std::vector<std::string>& requirements) {
  Case c = *parse_case("gemm/naive f32 M=7 N=100 K=5 layout=nn bias=0 out=same accumulate=0 fill=normal seed=1");
  move_to_supported(c, {"M", "N", "K"}, requirements, 0, keep, by_tiles);
  return c;
}

TEST(SupportedCase, IsAMultipleOfWhatIsRequired) {
  const Case c = moved({"M % 192 == 0", "N % 96 == 0", "K > 0"});
  EXPECT_EQ(c.dim("M"), 192);
  EXPECT_EQ(c.dim("N"), 192);
  EXPECT_EQ(c.dim("K"), 5) << "it suits as it is";
}

TEST(SupportedCase, StaysWhereNoPowerOfTwoHelps) {
  EXPECT_EQ(moved({}).dim("M"), 7);
  EXPECT_EQ(moved({"M % 192 == 1", "M % 192 == 0 || N == 0", "rows % 192 == 0"}).dim("M"), 7) << "of other forms";
}

TEST(SupportedCase, StaysAfterSearchesInVain) {
  static int asked = 0;
  const auto never = [](const Case&) -> std::optional<std::string> { return ++asked, "nothing suits it"; };
  Case c = *parse_case("gemm/naive f32 M=7 N=100 K=5 layout=nn bias=0 out=same accumulate=0 fill=normal seed=1");
  const MovesInVain moves(1);
  move_to_supported(c, {"M", "N", "K"}, {}, 0, keep, never);
  EXPECT_GT(asked, 10);
  asked = 0;
  move_to_supported(c, {"M", "N", "K"}, {}, 0, keep, never);
  EXPECT_EQ(asked, 1) << "whether it suits as it is";
  EXPECT_EQ(moved({"M % 192 == 0", "N % 96 == 0"}).dim("M"), 7);
}

}  // namespace
}  // namespace assay

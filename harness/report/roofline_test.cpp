// Tests where the lines of a roofline meet.
#include "harness/report/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

const std::vector<Roof> kRoofs{
    {"copy", "TB/s", 4, 5}, {"bf16 GEMM", "TFLOP/s", 800, 1000}, {"f32 GEMM", "TFLOP/s", 40, 0}};

void expect_line(const std::optional<RoofLine>& line, double x0, double y0, double x1, double y1) {
  ASSERT_TRUE(line);
  EXPECT_DOUBLE_EQ(line->x0, x0);
  EXPECT_DOUBLE_EQ(line->y0, y0);
  EXPECT_DOUBLE_EQ(line->x1, x1);
  EXPECT_DOUBLE_EQ(line->y1, y1);
}

TEST(Roofline, MeetsAtTheRidges) {
  const auto lines = roofline(kRoofs, 0.5, 1000);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].label, "copy 4 of 5 TB/s");
  EXPECT_EQ(lines[2].label, "f32 GEMM 40 TFLOP/s");
  expect_line(lines[0].measured, 0.1, 0.4, 200, 800);
  expect_line(lines[0].physical, 0.1, 0.5, 200, 1000);
  expect_line(lines[1].measured, 200, 800, 1000, 800);
  expect_line(lines[1].physical, 200, 1000, 1000, 1000);
  expect_line(lines[2].measured, 10, 40, 1000, 40);
  EXPECT_FALSE(lines[2].physical);
}

TEST(Roofline, NamesTheMeansAndTakesRatesOnly) {
  const auto lines =
      roofline({{"copy", "TB/s", 4, 5, "a kernel of 16-byte accesses"}, {"empty region", "us", 2, 0}}, 1, 10);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].label, "copy 4 of 5 TB/s, by a kernel of 16-byte accesses");
}

TEST(Roofline, ReachesBeyondEveryRidge) {
  const auto lines = roofline(kRoofs, 20, 30);
  expect_line(lines[0].measured, 10, 40, 200, 800);
  expect_line(lines[1].measured, 200, 800, 1000, 800);
}

TEST(Roofline, OfOneSortSpansAll) {
  const auto arithmetic = roofline({kRoofs[1]}, 1, 10);
  expect_line(arithmetic.at(0).measured, 1, 800, 10, 800);
  const auto bandwidth = roofline({kRoofs[0]}, 1, 10);
  expect_line(bandwidth.at(0).measured, 1, 4, 10, 40);
  EXPECT_TRUE(roofline({{"int8 GEMM", "TOP/s", 1500, 0}}, 1, 10).empty());
}

}  // namespace
}  // namespace assay

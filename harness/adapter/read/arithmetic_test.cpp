// Sums and products in the text of a file.
#include "harness/adapter/read/arithmetic.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

TEST(Arithmetic, IsThatOfWholeNumbers) {
  EXPECT_EQ(number_value("256 / 4"), 64);
  EXPECT_EQ(number_value("2 + 3 * (4 - 1)"), 11);
  EXPECT_EQ(number_value("7/2*2"), 6);
  EXPECT_EQ(number_value("1 - 2 - 3"), -4);
}

TEST(Arithmetic, KnowsNoOtherText) {
  for (const char* text : {"", "N", "4 *", "(4", "4)", "1.5", "4 4", "0x10", "8 / 0", "12345678901"})
    EXPECT_FALSE(number_value(text)) << text;
}

TEST(Arithmetic, EndsOnAnyText) {
  std::string product = "999999999";
  for (int i = 0; i < 50; ++i) product += " * 999999999";
  EXPECT_FALSE(number_value(product)) << "overflows";
  EXPECT_FALSE(number_value(std::string(100'000, '(')));
}

}  // namespace
}  // namespace assay

// Numbers as whole texts.
#include "harness/base/number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace assay {
namespace {

TEST(Number, IsTheWholeText) {
  EXPECT_EQ(number_in<int64_t>("-12"), -12);
  EXPECT_EQ(number_in<double>("2.5e3"), 2500);
  EXPECT_EQ(number_in<uint64_t>("ff", 16), 255u);
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1x", "1.5", "9223372036854775808"})
    EXPECT_FALSE(number_in<int64_t>(text)) << text;
  EXPECT_FALSE(number_in<uint64_t>("-1"));
}

}  // namespace
}  // namespace assay

// Vectors whose memory several threads touch are those that one makes.
#include "harness/base/fresh_memory.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

struct WithDefaults {
  double v = 0, e = 1;
};

TEST(FreshVector, HasItsElementsAsTheirTypeMakesThem) {
  constexpr auto kLarge = static_cast<int64_t>(kLargeBytes / sizeof(WithDefaults)) + 3;
  for (const int64_t count : {int64_t{0}, int64_t{1}, kLarge}) {
    const auto values = fresh_vector<WithDefaults>(count);
    ASSERT_EQ(std::ssize(values), count);
    for (const WithDefaults& value : values) ASSERT_TRUE(value.v == 0 && value.e == 1);
  }
}

}  // namespace
}  // namespace assay

// Texts in, texts out; and what is not such a packet.
#include "harness/cxx/device_code.h"

#include <gmock/gmock.h>

namespace assay::cxx {
namespace {

using testing::HasSubstr;

TEST(DeviceCode, ComesOutAsItWentIn) {
  const std::string one = *packed({.fast = "fast\n", .checked = "checked"}),
                    other = *packed({.fast = "", .checked = "c"});
  const auto all = unpacked(one + other);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2);
  EXPECT_EQ((*all)[0].fast, "fast\n");
  EXPECT_EQ((*all)[0].checked, "checked");
  EXPECT_EQ((*all)[1].fast, "");
  EXPECT_EQ((*all)[1].checked, "c");
}

TEST(DeviceCode, TheTwoTextsCostLittleMoreThanOne) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919);
  EXPECT_LT(packed({text, text})->size(), packed({text, ""})->size() * 11 / 10);
}

TEST(DeviceCode, DamageIsSaid) {
  std::string bytes = *packed({"fast", "checked"});
  EXPECT_THAT(unpacked("nothing of ours").error().line(), HasSubstr("damaged; build the program again"));
  EXPECT_FALSE(unpacked(bytes.substr(0, bytes.size() - 1)));
}

}  // namespace
}  // namespace assay::cxx

// Tests what a variant takes that is older than its op's latest names, or not meant for all data.
#include "harness/op/launch_choice.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::HasSubstr;

Contract contract() {
  Contract contract;
  contract.name = "op";
  contract.dims = {{.name = "n", .meaning = ""}, {.name = "pad", .meaning = "", .min = 0, .max = 8, .before = 0}};
  contract.attrs = {{.name = "newer", .meaning = "", .choices = {"0", "1"}, .optional = true}};
  return contract;
}

std::string refused(const Variant& variant, const std::string& line) {
  return refused_choice(contract(), variant, *parse_case(line)).value_or("");
}

TEST(LaunchChoice, OfADimThatCameLaterIsWhatWasThereBefore) {
  Variant variant;
  variant.op = "op";
  variant.name = "v";
  EXPECT_EQ(refused(variant, "op/v f32 n=3 pad=0 newer=0 fill=normal seed=0"), "");
  EXPECT_EQ(refused(variant, "op/v f32 n=3 pad=1 newer=0 fill=normal seed=0"), "v takes pad = 0 only");
  EXPECT_EQ(refused(variant, "op/v f32 n=3 pad=0 newer=1 fill=normal seed=0"), "v takes newer = 0 only");
  variant.domains = {{.name = "pad", .min = 0, .max = 8}, {.name = "newer", .values = {"0", "1"}}};
  EXPECT_EQ(refused(variant, "op/v f32 n=3 pad=1 newer=1 fill=normal seed=0"), "");
}

TEST(LaunchChoice, OfDataIsWhatTheVariantIsMeantFor) {
  Variant variant;
  variant.op = "op";
  variant.name = "v";
  const std::string line = "op/v f32 n=3 pad=0 newer=0 fill=ties seed=0";
  EXPECT_EQ(refused(variant, line), "");
  variant.domains = {{.name = kFillDomain, .values = {"normal"}}};
  EXPECT_THAT(refused(variant, line), HasSubstr("v is not meant for fill=ties"));
  EXPECT_FALSE(takes_fill(variant, "ties"));
  EXPECT_TRUE(takes_fill(variant, "normal"));
}

}  // namespace
}  // namespace assay

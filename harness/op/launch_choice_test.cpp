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

TEST(LaunchChoice, OfANumberMayBeOneThatIsNotSwept) {
  const AttrSpec eps{.name = "eps", .meaning = "", .choices = {"1e-5", "1e-3"}};
  const AttrSpec count{.name = "heads", .meaning = "", .choices = {"1", "2"}};
  Variant variant;
  variant.domains = {{.name = "eps", .values = {"1e-8", "1e-3"}}, {.name = "heads", .values = {"3", "2"}}};
  EXPECT_THAT(choices_taken(eps, variant), testing::ElementsAre("1e-3", "1e-8"));
  EXPECT_THAT(choices_taken(count, variant), testing::ElementsAre("2"));
  EXPECT_TRUE(admits(eps, "0.25"));
  for (const char* none : {"", "nan", "inf", "small", "1e-5x"}) EXPECT_FALSE(admits(eps, none)) << none;
  EXPECT_EQ(admitted_by(eps), "one of 1e-5, 1e-3, or another number");
  EXPECT_EQ(admitted_by(count), "one of 1, 2");
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

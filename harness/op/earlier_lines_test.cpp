// Lines of earlier versions mean what they meant, and get the keys of today's.
#include "harness/op/earlier_lines.h"

#include <gmock/gmock.h>

#include "harness/op/registry.h"
#include "harness/op/test_contract.h"

namespace assay {
namespace {

constexpr const char* kOld =
    "rope/elementwise f32 T=3 H=2 D=8 pos_offset=0 direction=forward base=10000 fill=normal "
    "seed=1 block=32 schedule=0";
constexpr const char* kToday =
    "rope/elementwise f32 T=3 H=2 D=8 pos_offset=0 direction=forward base=10000 pairs=half "
    "alias=none fill=normal seed=1 block=32 schedule=0";

TEST(EarlierLines, HaveWhatTheOpDidBefore) {
  const auto c = read_case(kOld);
  ASSERT_TRUE(c) << c.error().line();
  EXPECT_EQ(print(*c), kToday);
  EXPECT_EQ(as_written_today(std::string(kOld)), kToday);
  EXPECT_EQ(as_written_today(std::string(kToday)), kToday);
}

TEST(EarlierLines, OfADimThatCameLaterHaveItsValueBefore) {
  Contract contract = *find_op("attention_bias_backward");
  const auto pad =
      std::find_if(contract.dims.begin(), contract.dims.end(), [](const DimSpec& d) { return bool(d.before); });
  ASSERT_NE(pad, contract.dims.end());
  EXPECT_EQ(with_later_names(contract, Case{}).text(pad->name), std::to_string(*pad->before));
  Case given;
  given.set(pad->name, "7");
  EXPECT_EQ(with_later_names(contract, given).text(pad->name), "7");
}

TEST(EarlierLines, ThatAreNoneStayAsTheyAre) {
  for (const std::string line : {"rope/elementwise f32", "rope/elementwise f32 T=3 fill=normal seed=1 schedule=0",
                                 "no line", "", "nobody/x f32 n=1 fill=normal seed=0 schedule=0",
                                 "rope/elementwise f32 T=3 H=2 D=8 pos_offset=0 direction=forward base=10000 other=1 "
                                 "fill=normal seed=1 schedule=0"})
    EXPECT_EQ(as_written_today(line), line);
}

}  // namespace
}  // namespace assay

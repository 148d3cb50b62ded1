// Tests which hints are left when some cases have them and others do not.
#include "harness/search/partial_hints.h"

#include <gmock/gmock.h>

#include "harness/judge/hint.h"

namespace assay {
namespace {

ResultRow wrong(const std::string& line, const std::vector<std::string>& declared, Kind kind = Kind::mismatch) {
  ResultRow row;
  row.c = *read_case(line);
  row.verdict = kind;
  row.detail = "y: wrong" + (declared.empty() ? "" : hint_of("it adds up in f16", declared));
  row.findings = {{kind, row.detail, "y"}};
  return row;
}

constexpr const char* kSmall = "softmax_forward/v f16 rows=2 cols=8 fill=normal seed=1";
constexpr const char* kOther = "softmax_forward/w f16 rows=2 cols=8 fill=normal seed=1";
constexpr const char* kLarge = "softmax_forward/v f16 rows=2048 cols=2048 fill=normal seed=1";

bool keeps_hint(const std::vector<ResultRow>& rows) {
  ResultRow shrunk = wrong(kSmall, {"accumulate = \"f16\""});
  drop_partial_hint(rows, shrunk);
  EXPECT_EQ(hinted_declarations(shrunk.detail), hinted_declarations(shrunk.findings[0].detail));
  return !hinted_declarations(shrunk.detail).empty();
}

TEST(PartialHints, AreLeftOutUnlessEveryCaseHasThem) {
  const ResultRow with = wrong(kSmall, {"rounds = [\"p\"]", "accumulate = \"f16\""}), without = wrong(kSmall, {});
  EXPECT_TRUE(keeps_hint({with, with}));
  EXPECT_FALSE(keeps_hint({with, without}));
  EXPECT_FALSE(keeps_hint({with, wrong(kSmall, {}, Kind::nonfinite)}));
  EXPECT_FALSE(keeps_hint({with, wrong(kSmall, {"ftz = true"})}));
}

TEST(PartialHints, AskNoOtherVariantAndNoCaseThatIsNotDiagnosed) {
  EXPECT_TRUE(keeps_hint({wrong(kOther, {}), wrong(kLarge, {}), wrong(kSmall, {}, Kind::race)}));
}

}  // namespace
}  // namespace assay

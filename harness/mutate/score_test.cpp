// Scores count equivalents as they say, and results survive their lines.
#include "harness/mutate/score.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

using testing::HasSubstr;

MutantResult result(Fate fate, int64_t cases, const std::string& kind = "edge") {
  return {.subject = "op/k",
          .mutant = {.kind = kind, .file = "k.cu", .offset = 7, .length = 1, .replacement = "<=", .line = 3},
          .fate = fate,
          .cases = cases};
}

const std::vector<MutantResult> kResults = {
    result(Fate::killed, 1),       result(Fate::killed, 9, "bound"), result(Fate::killed, 3),
    result(Fate::survived, 400),   result(Fate::equal_bits, 400),    result(Fate::equal_bits, 400, "narrow"),
    result(Fate::equal_code, 400), result(Fate::not_compiled, 0),    result(Fate::killed, 5)};

TEST(Score, LeavesOutEquivalentsAndWhatDoesNotCompile) {
  const Tally tally = tally_of(kResults);
  EXPECT_EQ(tally.planted(), 9);
  EXPECT_EQ(tally.told_apart(false), 7);
  EXPECT_EQ(tally.told_apart(true), 5);
  EXPECT_DOUBLE_EQ(tally.score(false), 4.0 / 7);
  EXPECT_DOUBLE_EQ(tally.score(true), 4.0 / 5);
  EXPECT_DOUBLE_EQ(Tally().score(false), 1);
}

TEST(Score, HasBothFiguresAndTheCasesThatKillingTook) {
  const std::string text = score_text(kResults);
  EXPECT_THAT(text,
              HasSubstr("Killed: 4 of 7 that are not known to be equivalent, 57.1 %; 4 of 5, 80.0 %, if those with "
                        "equal bits are.\n"));
  EXPECT_THAT(text, HasSubstr("5, 9\n"));
  EXPECT_THAT(text, HasSubstr("\nnarrow "));
  EXPECT_THAT(score_text({result(Fate::killed, 2)}), HasSubstr("Killed: 1 of 1 that are not known to be equivalent, "
                                                               "100.0 %.\n"));
  EXPECT_EQ(score_line({result(Fate::equal_code, 2)}), "No mutant was judged that is not known to be equivalent.");
}

TEST(Score, KeepsResultsAsLines) {
  MutantResult one = result(Fate::survived, 400);
  one.verdict = "RACE";
  one.line = "op/k f32 n=1";
  one.reason = "bits differ";
  one.diff = "-a\n+b \xff\n";
  one.seconds = 1.5;
  const std::string line = to_line(one, "00ff");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  std::string key;
  const auto back = result_from_line(line, key);
  ASSERT_TRUE(back) << back.error().line();
  EXPECT_EQ(key, "00ff");
  EXPECT_EQ(to_line(*back, key), line);
  EXPECT_EQ(back->fate, Fate::survived);
  EXPECT_EQ(back->mutant.replacement, "<=");
  for (const std::string& bad : {line.substr(0, line.size() / 2), std::string("{}"), std::string("[1]")})
    EXPECT_FALSE(result_from_line(bad, key)) << bad;
}

}  // namespace
}  // namespace assay

// Tests the outputs for people, pull requests, runners and programs.
#include "harness/compare/show.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "harness/compare/test_runs.h"
#include "harness/report/layout.h"
#include "harness/selftest/run_program.h"

namespace assay::comparison {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A slower row, counts that grew in five rows, one better, one gone, one new, and one with a nasty name.
Comparison sample() {
  Measured before = test_run(), after = test_run();
  before.path = "reports/base";
  after.path = "reports/new";
  set_times(add_subject(before, "rows=8192 cols=4096"), 12'300);
  set_times(add_subject(after, "rows=8192 cols=4096"), 13'000);
  for (int cols = 1; cols <= 5; ++cols) {
    set_exact(add_subject(before, "cols=" + std::to_string(cols), "transpose/elementwise"), "sectors", 4);
    set_exact(add_subject(after, "cols=" + std::to_string(cols), "transpose/elementwise"), "sectors", 4 + cols);
  }
  set_exact(add_subject(before, "rows=1", "rope/pairs"), "barriers", 3);
  set_exact(add_subject(after, "rows=1", "rope/pairs"), "barriers", 2);
  add_subject(before, "rows=2", "rope/gone");
  add_subject(after, "rows=2", "rope/new");
  add_subject(before, "rows=3", "rope/|<b>*x*\n::error::");
  add_subject(after, "rows=3", "rope/|<b>*x*\n::error::").failure = "CRASH: \x1b[31m@somebody";
  return compare(before, after);
}

TEST(ShowText, RegressionsComeFirstAndTheHeadlineLast) {
  const std::string text = comparison_text(sample());
  EXPECT_THAT(text, HasSubstr("REGRESSED  softmax/warp  time  on cpu\n  +5.7 % (+"));
  EXPECT_THAT(text, HasSubstr("12.48 -> 13.19 µs\n    softmax/warp f32 rows=8192 cols=4096 fill=normal seed=7"));
  EXPECT_THAT(text, HasSubstr("REGRESSED  transpose/elementwise  sectors  on cpu\n  +125.0 %  4 -> 9\n"));
  EXPECT_THAT(text, HasSubstr("and 2 more\n"));
  EXPECT_THAT(text, HasSubstr("MISSING  rope/gone  on cpu\n  was there: passed\n"));
  EXPECT_THAT(text, HasSubstr("\nsoftmax/warp takes 1.06 × the time\n"));
  EXPECT_THAT(text, HasSubstr("\ntranspose/elementwise has up to 2.25 × the sectors\n"));
  EXPECT_THAT(text, HasSubstr("\nrope/gone is missing\n"));
  EXPECT_LT(text.find("rope/gone is missing"), text.find("REGRESSED")) << "sentences come before the table";
  EXPECT_LT(text.find("MISSING"), text.find("IMPROVED  rope/pairs"));
  EXPECT_LT(text.find("IMPROVED"), text.find("NEW  rope/new"));
  EXPECT_THAT(text, HasSubstr("to see the first again: assay replay 'rope/"));
  EXPECT_TRUE(text.ends_with("REGRESSED: 7 regressed, 1 missing, 1 improved, 1 new, 7 the same\n")) << text;
}

TEST(ShowText, FitsNarrowTerminals) {
  const std::string text = comparison_text(sample(), {.columns = 40});
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const bool to_be_copied = line.starts_with("    ") || line.starts_with("to see") || line.starts_with("REGRESSED:");
    EXPECT_TRUE(to_be_copied || width(line) <= 40) << line;
  }
}

TEST(ShowMarkdown, NamesEndNoCellAndBeginNoMarkup) {
  const std::string text = comparison_markdown(sample());
  EXPECT_THAT(text, StartsWith("### Assay: REGRESSED: 7 regressed"));
  EXPECT_THAT(text, HasSubstr("| REGRESSED | softmax/warp | time on cpu | 12.48 -\\> 13.19 µs | +5.7 % \\(+"));
  EXPECT_THAT(text, HasSubstr("rope/\\|\\<b\\>\\*x\\* ::error::"));
  EXPECT_THAT(text, HasSubstr("\\@somebody"));
  EXPECT_THAT(text, HasSubstr("<details>"));
}

TEST(ShowMarkdown, ALongTableFitsIntoAComment) {
  Measured before = test_run(), after = test_run();
  for (int i = 0; i < 2000; ++i)
    add_subject(before, "rows=" + std::to_string(i), "softmax_" + std::to_string(i) + "/" + std::string(80, 'x'));
  add_subject(after, "rows=1");
  const std::string text = comparison_markdown(compare(before, after));
  EXPECT_LT(text.size(), 65'536u);
  EXPECT_THAT(text, HasSubstr("1940 more rows are not shown"));
}

TEST(ShowGithub, EveryKernelIsALineAndNothingElseBegins) {
  const std::string text = comparison_github(sample());
  EXPECT_THAT(text, HasSubstr("::error title=REGRESSED softmax/warp takes 1.06 × the time::"
                              "REGRESSED time%0Asoftmax/warp f32 rows=8192"));
  EXPECT_THAT(text, HasSubstr("%0Aand 4 more\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("::error title=MISSING rope/gone is missing::"), Not(HasSubstr("\n::error::"))));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("rope/pairs")))) << "what improved is no error";
}

TEST(ShowGithub, PointsToTheSourceOfTheKernelAndToTheLineOfAFailure) {
  selftest::Scratch scratch;
  const std::string source = scratch.path + "/mine.cu";
  std::ofstream(source) << "// A kernel.\n\n__global__ void mine(float* x) {}\n";
  Measured before = test_run(), after = test_run();
  after.info.folder = scratch.path;
  for (Measured* run : {&before, &after}) {
    Subject& subject = add_subject(*run, "rows=1", "softmax/mine");
    subject.source = source;
    set_exact(subject, kBytes, run == &after ? 2 : 1);
  }
  EXPECT_THAT(comparison_github(compare(before, after)),
              HasSubstr("mine.cu,line=3,title=REGRESSED softmax/mine has 2 ×"));
  after.subjects.begin()->second.failure = "RACE: x[0]: written (mine.cu:31)";
  EXPECT_THAT(comparison_github(compare(before, after)),
              HasSubstr("mine.cu,line=31,title=REGRESSED softmax/mine fails"));
}

TEST(ShowMarkdown, BeginsWithASentenceForEachKernel) {
  const std::string text = comparison_markdown(sample());
  EXPECT_THAT(text, HasSubstr("\n- softmax/warp takes 1.06 × the time\n"));
  EXPECT_LT(text.find("- rope/gone is missing"), text.find("| REGRESSED"));
}

TEST(ShowJson, HoldsEveryLine) {
  const Comparison comparison = sample();
  const auto json = nlohmann::json::parse(comparison_json(comparison));
  EXPECT_EQ(json.at("outcome"), "REGRESSED");
  EXPECT_EQ(json.at("lines").size(), comparison.lines.size());
  EXPECT_EQ(json.at("counts").at("REGRESSED"), 7);
  const auto& lines = json.at("lines");
  const auto time =
      std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.at("metric") == "time"; });
  ASSERT_NE(time, lines.end());
  EXPECT_NEAR(time->at("ratio").template get<double>(), 13.0 / 12.3, 1e-9);
  EXPECT_EQ(time->at("unit"), "ns");
}

}  // namespace
}  // namespace assay::comparison

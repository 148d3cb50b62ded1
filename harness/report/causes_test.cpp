// Which failures are one bug, which are several, and by which verdict a bug is shown.
#include "harness/report/causes.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

using testing::ElementsAre;

ResultRow failing(const std::string& params, const std::string& device, Findings findings,
                  const std::string& shrunk_from = "") {
  ResultRow row = row_of("sample_softmax", "mine", DType::f32, params, Kind::pass, 0);
  const Verdict verdict = Verdict::worst(findings);
  row.verdict = verdict.kind;
  row.detail = verdict.detail;
  row.findings = std::move(findings);
  row.device = device;
  row.shrunk_from = shrunk_from;
  return row;
}

Finding race(int first, int second) {
  return {Kind::race, fmt::format("shared a[0]: read (a.cu:{}) after write (a.cu:{})", second, first)};
}
Finding wrong(const std::string& tensor) { return {Kind::mismatch, tensor + ": 1 of 9 elements are wrong", tensor}; }

// "RACE 2 (MISMATCH)": verdict, cases, what it was also seen as.
std::vector<std::string> texts(const std::vector<ResultRow>& rows) {
  std::vector<std::string> texts;
  for (const Cause& cause : causes(rows)) {
    std::string also;
    for (const AlsoSeen& each : cause.also) also += fmt::format(" ({} on {})", name(each.kind), each.device);
    texts.push_back(fmt::format("{} {}{}", name(cause.kind), cause.cases, also));
  }
  return texts;
}

TEST(Causes, ARaceExplainsTheWrongValuesOfItsCase) {
  const std::vector<ResultRow> rows{failing("rows=9", "cpu", {wrong("y")}), failing("rows=1", "cpu", {wrong("y")}, "x"),
                                    failing("rows=1", "cpu-checked", {race(18, 20)}, "x"),
                                    failing("rows=7", "cpu-checked", {race(18, 20)})};
  EXPECT_THAT(texts(rows), ElementsAre("RACE 2 (MISMATCH on cpu)"));
  const Cause cause = causes(rows)[0];
  EXPECT_EQ(cause.rows, (std::vector<const ResultRow*>{&rows[2], &rows[0], &rows[1], &rows[3]}));
  ASSERT_EQ(cause.also.size(), 1u);
  EXPECT_EQ(cause.also[0].detail, "y: 1 of 9 elements are wrong");
}

TEST(Causes, AWrongValueWithoutTheRaceIsAnotherBug) {
  EXPECT_THAT(texts({failing("rows=9", "cpu", {wrong("y")}), failing("rows=1", "cpu", {wrong("y")}, "x"),
                     failing("rows=9", "cpu-checked", {race(18, 20)})}),
              ElementsAre("RACE 1", "MISMATCH 1"));
}

TEST(Causes, OtherLinesAndKindsAreOtherBugs) {
  EXPECT_THAT(texts({failing("rows=1", "cpu-checked",
                             {race(18, 20), race(30, 32), {Kind::out_of_bounds, "y[9]: write (a.cu:40)"}})}),
              ElementsAre("OUT_OF_BOUNDS 1", "RACE 1", "RACE 1"));
  EXPECT_THAT(texts({failing("rows=1", "cpu", {wrong("y"), {Kind::input_changed, "x[0] changed", "x"}})}),
              ElementsAre("INPUT_CHANGED 1", "MISMATCH 1"));
}

TEST(Causes, WhatIsWrongAtALineInCommonIsOneBugInWhateverCases) {
  EXPECT_THAT(texts({failing("rows=1", "cpu-checked", {race(18, 20)}),
                     failing("rows=2", "cpu-checked", {{Kind::out_of_bounds, "y[9]: write (a.cu:18)"}}),
                     failing("rows=3", "cpu", {{Kind::crash, "signal 11 (a.cu:18)"}})}),
              ElementsAre("OUT_OF_BOUNDS 3 (RACE on cpu-checked) (CRASH on cpu)"));
  EXPECT_THAT(texts({failing("rows=1", "cpu-checked", {race(18, 20)}), failing("rows=2", "cpu-checked", {race(20, 25)}),
                     failing("rows=3", "cpu-checked", {race(30, 32)})}),
              ElementsAre("RACE 2", "RACE 1"));
}

TEST(Causes, WrongValuesOfSeveralOutputsInOneCaseAreOneBug) {
  EXPECT_THAT(texts({failing("rows=1", "cpu", {wrong("y"), wrong("mean")})}), ElementsAre("MISMATCH 1"));
  EXPECT_EQ(causes({failing("rows=1", "cpu", {wrong("y"), wrong("mean"), wrong("y")})})[0].detail,
            "y: 1 of 9 elements are wrong; mean: 1 of 9 elements are wrong");
  EXPECT_THAT(texts({failing("rows=1", "cpu", {wrong("y")}), failing("rows=2", "cpu", {wrong("mean")})}),
              ElementsAre("MISMATCH 1", "MISMATCH 1"));
}

TEST(Causes, WhatShrinkingFoundToComeOfABugIsOneWithIt) {
  const Finding nan{Kind::nonfinite, "y: 1 of 2 elements are wrong: got nan, want 1", "y"};
  std::vector<ResultRow> rows{failing("rows=9", "cpu", {wrong("y")}),
                              failing("rows=3", "cpu", {wrong("y")}, "original"), failing("rows=8", "cpu", {nan})};
  rows[2].c.fill = "infinities";
  rows[1].shrunk_from = rows[0].line();
  EXPECT_THAT(texts(rows), ElementsAre("MISMATCH 1", "NONFINITE 1"));
  rows.push_back(rows[1]);
  rows.back().shrunk_from = rows[2].line();
  EXPECT_THAT(texts(rows), ElementsAre("MISMATCH 2 (NONFINITE on cpu)"));
  EXPECT_EQ(causes(rows)[0].rows.front(), &rows[1]) << "the case that was made of one that fails alike";
  // The same case runs in the checked build, which sees a race that does not explain it.
  rows.push_back(failing("rows=8", "cpu-checked", {race(18, 20)}));
  rows.back().c.fill = "infinities";
  EXPECT_THAT(texts(rows), ElementsAre("RACE 1", "MISMATCH 2 (NONFINITE on cpu)"));
}

TEST(Causes, OrdinaryDataComeFirst) {
  std::vector<ResultRow> rows{failing("rows=1", "cpu", {{Kind::nonfinite, "y: nan", "y"}}),
                              failing("rows=2", "cpu", {wrong("mean")})};
  rows[0].c.fill = "nan";
  EXPECT_THAT(texts(rows), ElementsAre("MISMATCH 1", "NONFINITE 1"));
}

TEST(Causes, WhatHasAPlaceInCommonIsOneBug) {
  EXPECT_THAT(texts({failing("rows=1", "cpu-checked",
                             {race(18, 20), race(18, 22), {Kind::uninitialised, "a[0]: read (a.cu:20)"}})}),
              ElementsAre("RACE 1 (UNINITIALISED on cpu-checked)"));
  EXPECT_THAT(texts({failing("rows=1", "cpu", {{Kind::nonfinite, "y: nan", "y"}}),
                     failing("rows=1", "cpu-checked", {wrong("y")})}),
              ElementsAre("NONFINITE 2 (MISMATCH on cpu-checked)"));
}

TEST(Causes, OneBugInThreeDtypesAndOnTwoDevicesIsOne) {
  std::vector<ResultRow> rows;
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
    for (const char* device : {"cpu", "cpu-checked"})
      rows.push_back(failing("rows=3", device, {wrong("y")})), rows.back().c.dtype = dtype;
  EXPECT_THAT(texts(rows), ElementsAre("MISMATCH 6"));
}

TEST(Causes, AVerdictWithoutFindingsIsABugToo) {
  EXPECT_THAT(texts({row_of("sample_softmax", "mine", DType::f32, "rows=1", Kind::crash, 0, "signal 11")}),
              ElementsAre("CRASH 1"));
}

RC_GTEST_PROP(Causes, hold_every_failure_and_nothing_else, (const std::vector<std::pair<uint8_t, bool>>& draws)) {
  std::vector<ResultRow> rows;
  for (const auto& [draw, shrunk] : draws) {
    const auto kind = static_cast<Kind>(draw % (static_cast<int>(Kind::skipped) + 1));
    rows.push_back(failing(fmt::format("rows={}", draw % 3), draw % 5 ? "cpu" : "cpu-checked",
                           {{kind, draw % 2 ? "a.cu:1" : "", draw % 4 ? "y" : ""}}, shrunk ? "original" : ""));
  }
  std::set<const ResultRow*> grouped, failed;
  for (const Cause& cause : causes(rows)) grouped.insert(cause.rows.begin(), cause.rows.end());
  for (const ResultRow& row : rows)
    if (is_failure(row.verdict)) failed.insert(&row);
  RC_ASSERT(grouped == failed);
}

TEST(SourceLines, AreReadOutOfSentences) {
  const auto lines = source_lines("kernel k block (0,0,0): a[1:2] (a.cu:31), then b.cuh:7; a.cu:31, x.rs:3 and a.cu:");
  EXPECT_EQ(lines, (std::vector<SourceLine>{{"a.cu", "31"}, {"b.cuh", "7"}}));
}

}  // namespace
}  // namespace assay

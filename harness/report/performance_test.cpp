// Which times count as figures, and what they come to.
#include "harness/report/performance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const std::vector<const TimedRow*>& rows) {
  std::vector<std::string> ids;
  for (const TimedRow* timed : rows) ids.push_back(timed->row->id() + " " + timed->shape);
  return ids;
}

std::vector<std::string> best_names(const Report& report) {
  const std::vector<TimedRow> rows = timed_rows(report);
  return names(best_of_ops(rows));
}

// A row of sample_copy of `n` elements that takes `us`.
ResultRow copy_row(const std::string& variant, int64_t n, double us) {
  register_timed_ops();
  return timed_row("sample_copy", variant, DType::f32, n, {"copy 4.25 TB/s", us}, 1);
}

TEST(TimedRows, AreNamedByTheirShape) {
  const Report report = timed_report();
  const std::vector<TimedRow> rows = timed_rows(report);
  ASSERT_EQ(rows.size(), report.rows.size());
  EXPECT_EQ(rows[0].shape, "n=512");
}

TEST(TimedRows, LeaveOutWhatWasNotTimedAndWhatRepeatsACase) {
  Report report;
  report.rows = {copy_row("kept", 8, 1), copy_row("shrunk", 8, 1), row_of("op", "v", DType::f32, "n=1", Kind::pass, 0)};
  report.rows[1].shrunk_from = report.rows[0].line();
  const std::vector<TimedRow> rows = timed_rows(report);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].row, &report.rows[0]);
}

TEST(LeftOut, CountsReasonsTheMostFrequentFirst) {
  Report report;
  EXPECT_TRUE(left_out(report).empty());
  const auto without = [](const std::string& variant, Kind verdict, const std::string& why) {
    ResultRow row = copy_row(variant, 8, 1);
    row.timing.reset();
    row.decide(verdict, why);
    return row;
  };
  report.rows = {without("a", Kind::unsupported, "no plan\nof engine 7"), without("b", Kind::skipped, "no memory"),
                 without("c", Kind::unsupported, "no plan\nof engine 8")};
  EXPECT_TRUE(left_out(report).empty()) << "nothing was timed: the run was no bench";
  report.rows.push_back(copy_row("d", 8, 1));
  const auto reasons = left_out(report);
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].reason, "no plan");
  EXPECT_EQ(reasons[0].rows, 2);
  EXPECT_EQ(reasons[0].verdict, Kind::unsupported);
  EXPECT_EQ(reasons[0].example, report.rows[0].line());
  EXPECT_EQ(reasons[1].reason, "no memory");
}

TEST(Timings, CountTheProcessesWhoseSamplesCount) {
  Timing timing;
  EXPECT_EQ(processes_of(timing), 0);
  timing.samples = {{.us = 1}, {.us = 1, .process = 1}, {.us = 1, .discarded = true, .process = 2}, {.us = 1}};
  EXPECT_EQ(processes_of(timing), 2);
}

TEST(BestOfOps, IsTheFastestInTheCaseWithTheMostBytes) {
  Report report;
  report.rows = {copy_row("slow", 64, 9), copy_row("quick", 64, 3), copy_row("middling", 64, 5),
                 copy_row("small", 8, 1)};
  EXPECT_THAT(best_names(report), ElementsAre("sample_copy/quick n=64"));
}

TEST(BestOfOps, IsNoTimeThatProvesNothing) {
  EXPECT_THAT(best_names(timed_report()),
              ElementsAre("sample_copy/<img/src=x/onerror=document.title='owned'> n=268435456",
                          "sample_product/pipelined n=8192", "unregistered_op/tiled n=512"));
  const auto cannot = [](const char* why, const std::function<void(ResultRow&)>& change) {
    Report report;
    report.rows = {copy_row("sound", 8, 2), copy_row("changed", 8, 1)};
    EXPECT_THAT(best_names(report), ElementsAre("sample_copy/changed n=8"));
    change(report.rows[1]);
    EXPECT_THAT(best_names(report), ElementsAre("sample_copy/sound n=8")) << why;
    report.rows.erase(report.rows.begin());
    EXPECT_THAT(best_names(report), ElementsAre()) << why;
  };
  cannot("it is suspect", [](ResultRow& row) { row.verdict = Kind::timing_suspect; });
  cannot("it is wrong", [](ResultRow& row) { row.verdict = Kind::mismatch; });
  cannot("it is a vendor's", [](ResultRow& row) { row.origin.library = "a library"; });
  cannot("nobody looked at the output", [](ResultRow& row) { row.timing->verified = false; });
  cannot("it has no time", [](ResultRow& row) { row.figures["median_us"] = kNoTime; });
}

TEST(CaseClocks, AreThoseOfAllVariantsOfACase) {
  Report report;
  report.rows = {copy_row("a", 8, 1), copy_row("b", 8, 1), copy_row("a", 9, 1)};
  report.rows[0].timing->samples = {{1, 1900, false}, {1, 1200, true}};
  report.rows[1].timing->samples = {{1, 1980, false}, {1, 0, false}, {1, 1700, false}};  // one clock was not read
  report.rows[2].timing->samples = {{1, 0, false}};
  const std::vector<CaseClocks> clocks = case_clocks(timed_rows(report));
  ASSERT_EQ(clocks.size(), 2u);
  EXPECT_EQ(clocks[0].shape, "n=8");
  EXPECT_EQ(clocks[0].samples, 5);
  EXPECT_EQ(clocks[0].discarded, 1);
  EXPECT_EQ(clocks[0].lowest_mhz, 1200);
  EXPECT_EQ(clocks[0].median_mhz, 1800);
  EXPECT_EQ(clocks[0].highest_mhz, 1980);
  EXPECT_EQ(clocks[1].samples, 1);
  EXPECT_TRUE(std::isnan(clocks[1].median_mhz));
}

}  // namespace
}  // namespace assay

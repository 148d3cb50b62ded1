// Counts, order statistics, the sensitivity audit and the console's summary.
#include "harness/report/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <sstream>

#include "harness/op/registry.h"
#include "harness/report/audit.h"
#include "harness/report/console.h"
#include "harness/report/instructions_text.h"
#include "harness/report/page_data.h"
#include "harness/report/statistics_text.h"
#include "harness/report/test_golden.h"
#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

ResultRow plain(double error, Kind kind = Kind::pass) { return row_of("op", "v", DType::f32, "n=1", kind, error); }

TEST(SummariseOps, TakesNearestRanksOfComparedCases) {
  std::vector<ResultRow> rows{plain(kNan, Kind::skipped), plain(kInfinity, Kind::mismatch)};
  for (int i = 1; i <= 149; ++i) rows.push_back(plain(i / 100.0));
  const auto ops = summarise_ops(rows);
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].cases, 151);
  EXPECT_EQ(ops[0].compared, 150);
  EXPECT_EQ(ops[0].median, 0.75);
  EXPECT_EQ(ops[0].p99, 1.49);  // rank 149 of 150, rounded up from 148.5
  EXPECT_EQ(ops[0].worst, kInfinity);
}

TEST(SummariseOps, NothingComparedHasNoFigures) {
  const auto ops = summarise_ops({plain(kNan, Kind::unsupported)});
  EXPECT_TRUE(std::isnan(ops.at(0).median) && std::isnan(ops.at(0).p99) && std::isnan(ops.at(0).worst));
  EXPECT_EQ(ops.at(0).worst_row, nullptr);
}

TEST(SummariseOps, NamesTheWorstCaseOfAnOpAndOfEachVariant) {
  const std::vector<ResultRow> rows{row_of("op", "b", DType::bf16, "n=1", Kind::pass, 0.5), plain(0.25),
                                    row_of("op", "b", DType::bf16, "n=2", Kind::pass, 0.75),
                                    row_of("op", "a", DType::bf16, "n=3", Kind::pass, 0.125)};
  const auto shown = [](const std::vector<OpSummary>& summaries) {
    std::string text;
    for (const OpSummary& each : summaries)
      text += fmt::format("{}/{} {} {}, worst {}; ", each.op, each.variant, name(each.dtype), each.cases,
                          each.worst_row->c.dim("n"));
    return text;
  };
  EXPECT_EQ(shown(summarise_ops(rows)), "op/ f32 1, worst 1; op/ bf16 3, worst 2; ");
  EXPECT_EQ(shown(summarise_variants(rows)), "op/a bf16 1, worst 3; op/b bf16 2, worst 2; op/v f32 1, worst 1; ");
}

TEST(Summarise, CountsACaseOnce) {
  const Summary summary = summarise(sample_report());
  EXPECT_EQ(summary.cases, 6);  // 8 rows less one shrunk and one mistrusted
  EXPECT_EQ(summary.verdicts.at(Kind::mismatch), 1);
  const std::vector<ResultRow> rows = sample_report().rows;
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(), is_case), 6);
  EXPECT_EQ(summary.headline,
            "1 of 6 cases not judged; 2 of 6 cases failed, and 1 test could not have failed; "
            "incomplete: 6 of 40 cases, interrupted");
}

TEST(Summarise, KnowsNoPlanOfAKilledRun) {
  Report report{{}, {plain(0.5)}};
  report.info.status = "interrupted";
  EXPECT_EQ(summarise(report).headline, "1 case passed, none failed; incomplete: 1 case, interrupted");
}

TEST(Summarise, PassesOnlyWhenSomethingPassedAndTheRunEnded) {
  const auto outcome = [](std::vector<ResultRow> rows, const std::string& status) {
    Report report{{}, std::move(rows)};
    report.info.status = status;
    return summarise(report).outcome;
  };
  EXPECT_EQ(outcome({plain(0.5)}, "complete"), Outcome::passed);
  EXPECT_EQ(outcome({plain(0.5)}, "out of time"), Outcome::inconclusive);
  EXPECT_EQ(outcome({plain(0.5)}, "interrupted"), Outcome::inconclusive);
  EXPECT_EQ(outcome({}, "complete"), Outcome::inconclusive);
  EXPECT_EQ(outcome({plain(kNan, Kind::skipped), plain(kNan, Kind::rejected)}, "complete"), Outcome::inconclusive);
  EXPECT_EQ(outcome({plain(0.5), plain(kNan, Kind::mistrusted)}, "complete"), Outcome::failed);
  EXPECT_EQ(outcome({plain(0.5), sample_report().rows[4]}, "complete"), Outcome::failed);  // a shrunk row alone
}

TEST(NotJudged, GroupsReasonsByTheirWords) {
  const auto row = [](Kind kind, const std::string& variant, const std::string& why) {
    return row_of("op", variant, DType::f32, "n=1", kind, kNan, why);
  };
  std::vector<ResultRow> rows{row(Kind::unsupported, "some", "needs n % 4 == 0"), row(Kind::pass, "some", ""),
                              row(Kind::unsupported, "none", "needs sm_90"),
                              row(Kind::skipped, "some", "block (0,0,0) thread (3,0,0): spins; advice"),
                              row(Kind::skipped, "some", "block (1,0,0) thread (12,0,0): spins")};
  const auto reasons = not_judged(rows);
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].cases, 2);
  EXPECT_EQ(reasons[0].why, rows[3].detail);
  EXPECT_EQ(reasons[1].kind, Kind::unsupported);
  EXPECT_EQ(reasons[1].why, "needs sm_90");
  Report report{{}, rows};
  EXPECT_THAT(summary_text(report, {}), testing::HasSubstr("\nSKIPPED 2 cases: block (0,0,0) thread (3,0,0): spins; "
                                                           "advice\nUNSUPPORTED 1 case: needs sm_90\n"));
  report.rows = {rows[2]};  // the outcome says it
  EXPECT_THAT(summary_text(report, {}), testing::Not(testing::HasSubstr("UNSUPPORTED 1 case")));
}

TEST(Summary, SaysThatAFailingCasePrinted) {
  Report report{{}, {plain(kInfinity, Kind::crash)}};
  report.rows[0].figures["printed_lines"] = 3;
  EXPECT_THAT(summary_text(report, {}), testing::HasSubstr("\n  it printed 3 lines: `assay replay` shows what\n"));
  report.rows[0].printed = "no device code\n";
  EXPECT_THAT(summary_text(report, {}), testing::HasSubstr("\n  it printed 3 lines, the last: no device code\n"));
}

std::vector<ResultRow> audited(int cases, int blind) {
  std::vector<ResultRow> rows;
  for (int i = 0; i < cases; ++i) {
    rows.push_back(row_of("op", "v", DType::f16, fmt::format("n={}", i), Kind::pass, 0.5));
    rows.back().sensitivity = {{"zeros:y", true}, {"stale_row:y", i < cases - blind}};
  }
  return rows;
}

TEST(Audit, MistrustsMoreThanATenth) {
  EXPECT_TRUE(mistrusted_rows(audited(20, 2)).empty());
  const auto rows = mistrusted_rows(audited(20, 7));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].verdict, Kind::mistrusted);
  EXPECT_EQ(rows[0].line(), audited(20, 7)[13].line());
  EXPECT_EQ(rows[0].c.dtype, DType::f16);
  EXPECT_THAT(rows[0].detail,
              testing::HasSubstr("blind to 'stale_row:y': its error budget accepts this mutant in 7 of the 20 cases"));
  auto of_a_user = audited(20, 7);
  for (ResultRow& row : of_a_user) row.origin.ops = "/home/me/ops";
  EXPECT_THAT(mistrusted_rows(of_a_user).at(0).detail, testing::EndsWith("says what an op's author can do"));
}

// At a rate of a tenth, 6 of 20 come up in 1.1 % of all runs and 7 in 0.2 %; 137 of 1200 in 5.6 % and 146 in 0.8 %.
TEST(Audit, AllowsWhatChanceAdds) {
  EXPECT_TRUE(mistrusted_rows(audited(2, 1)).empty());
  EXPECT_FALSE(mistrusted_rows(audited(3, 3)).empty());
  EXPECT_TRUE(mistrusted_rows(audited(20, 6)).empty());
  EXPECT_TRUE(mistrusted_rows(audited(1200, 137)).empty());
  EXPECT_FALSE(mistrusted_rows(audited(1200, 146)).empty());
}

TEST(Audit, KeepsOpsAndDtypesApart) {
  auto rows = audited(10, 1);
  for (ResultRow row : audited(10, 1)) {
    row.c.dtype = DType::bf16;
    rows.push_back(row);
  }
  EXPECT_EQ(audit(rows).size(), 4u);
  EXPECT_TRUE(mistrusted_rows(rows).empty());
}

TEST(Audit, KeepsFormatsOfBlocksApart) {
  auto rows = audited(20, 0);
  for (ResultRow& row : rows) row.c.set("format", "q4_0");
  for (ResultRow row : audited(20, 7)) {
    row.c.set("format", "q6_k");
    rows.push_back(row);
  }
  EXPECT_EQ(audit(rows).size(), 4u);
  const auto mistrusted = mistrusted_rows(rows);
  ASSERT_EQ(mistrusted.size(), 1u);
  EXPECT_THAT(mistrusted[0].detail, testing::HasSubstr("f16 q6_k is blind to 'stale_row:y'"));
}

TEST(PageData, LevelsOfErrors) {
  EXPECT_EQ(error_level(0), 0);
  EXPECT_EQ(error_level(1), 2);  // the limit itself is within the budget
  EXPECT_EQ(error_level(1.0001), 3);
  EXPECT_EQ(error_level(1e30), 6);
  EXPECT_EQ(error_level(kInfinity), 7);
  EXPECT_EQ(error_level(kNan), 7);
}

TEST(Console, MatchesItsGoldenFile) { expect_golden(summary_text(sample_report()), "summary.txt"); }

TEST(Console, NamesTheFastestVariantsWhenThereAreTimings) {
  expect_golden(summary_text(timed_report()), "timed_summary.txt");
}

TEST(StatisticsText, MatchesItsGoldenFile) {
  AccessStatistics cut_short = sample_statistics();
  cut_short.incomplete = "a reason";
  expect_golden(kernel_table(sample_report().rows) + line_tables(cut_short), "memory_access.txt");
  EXPECT_EQ(kernel_table({}), "");
}

TEST(StatisticsText, ShowsInstructionsWhereTheyAreCounted) {
  AccessStatistics run = sample_statistics();
  run.kernels.resize(1);
  run.compulsory_bytes = 33'500'000;
  KernelCounts& kernel = run.kernels[0];
  kernel.warps = 24;
  for (LineCounts& line : kernel.lines) line.instructions[Counted::fp32] = 1200;
  kernel.lines[0].instructions.by_threads = 1200;  // one lane at a time
  kernel.lines[1].instructions[Counted::special] = 12;
  kernel.lines[1].instructions.by_threads = 1212 * 32;
  for (const LineCounts& line : kernel.lines) kernel.instructions += line.instructions;
  expect_golden(line_tables(run), "instructions.txt");
  EXPECT_THAT(
      instructions_text(kernel),
      testing::StrEq("    instructions: 2,412 by 24 warps, 100.5 each: fp32 100, special 0.5; 16.6 lanes of 32\n"));
  EXPECT_THAT(bound_text(run, gpu_model("h200")),
              testing::StartsWith("    bound: 6.98 us on H200: dram 6.98 (compulsory bytes), "));
  EXPECT_EQ(uncounted_text(run), "");
  EXPECT_EQ(bound_text(sample_statistics(), gpu_model("h200")), "");
  EXPECT_EQ(uncounted_text(sample_statistics()), kHowToCount);
}

TEST(LargestCounted, IsTheCaseWithTheMostCompulsoryBytes) {
  std::vector<ResultRow> rows(5, row_of("op", "variant", DType::f32, "n=1", Kind::pass, 0));
  const std::array<int64_t, 4> bytes{8, 64, 64, 128};
  for (size_t i = 0; i < bytes.size(); ++i) {
    rows[i].statistics = AccessStatistics{.compulsory_bytes = bytes[i], .kernels = {}, .incomplete = {}};
    if (i < 3) rows[i].statistics->kernels.resize(1);  // the last one had nothing to launch
    rows[i].c.seed = i;
  }
  ASSERT_EQ(largest_counted(rows).size(), 1u);
  EXPECT_EQ(largest_counted(rows)[0], &rows[1]);
  rows[2].c.dtype = DType::f16;
  EXPECT_EQ(largest_counted(rows).size(), 2u);
}

TEST(Console, BreaksNothingButProse) {
  Report report = sample_report();
  for (ResultRow& row : report.rows)
    row.detail = std::string(150, 'x') + " " + std::string(3000, 'y') + " words and words";
  report.rows[3].c.op = std::string(60, 'o');
  std::istringstream text(summary_text(report));
  for (std::string line; std::getline(text, line);) {
    const bool to_copy = line.find("schedule=") != std::string::npos;
    const auto width = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_TRUE(to_copy || width <= 100) << line;
  }
}

TEST(Console, CountsManyLikeFailures) {
  Report report;
  for (int i = 0; i < 50; ++i)
    report.rows.push_back(row_of("op", "v", DType::f32, fmt::format("n={}", i), Kind::mismatch, 2, "y is wrong"));
  const std::string text = summary_text(report);
  EXPECT_THAT(text, testing::HasSubstr("\n  50 cases fail so: results.csv has them\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("n=5 ")));
  EXPECT_EQ(text.find("op/v f32"), text.rfind("op/v f32 n=0", text.find("replay:"))) << "one case stands for all";
}

TEST(Console, ShowsWhatFailingCasesShareAndFitsAScreen) {
  const std::string text = summary_text(odd_sizes(), {.columns = 80});
  EXPECT_THAT(text, testing::HasSubstr("all 200 cases that fail so have cols % 2 != 0"));
  EXPECT_THAT(text, testing::HasSubstr("requires = [\"cols % 2 =="));
  size_t lines = 0;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines += 1 + line.size() / 80;
  EXPECT_LE(lines, 20u) << text;
}

TEST(Console, IsThreeLinesForEachBugIfBrief) {
  EXPECT_EQ(brief_summary_text(odd_sizes()),
            "MISMATCH  y: 1 of 9 elements are wrong, the first at [0,0]: got 1, want 2 ± 0.1\n"
            "  op/v f32 rows=2 cols=1 fill=normal seed=7 schedule=0\n"
            "  replay: assay replay 'op/v f32 rows=2 cols=1 fill=normal seed=7 schedule=0' --source "
            "/a/folder/with/a/long/name/my_kernels.cu --op op\n"
            "FAILED: 200 of 400 cases failed\n");
  EXPECT_EQ(brief_text(plain(0.5)), "PASS  op/v f32 n=1 fill=normal seed=7 schedule=0\n");
}

}  // namespace
}  // namespace assay

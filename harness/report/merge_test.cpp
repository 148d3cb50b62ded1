// Shards make the run that they are parts of, or the message says what does not fit.
#include "harness/report/merge.h"

#include <gmock/gmock.h>

#include "harness/report/summary.h"
#include "harness/report/test_sample_report.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ResultRow placed(int64_t place, Kind verdict = Kind::pass) {
  ResultRow row = row_of("op", "v", DType::f32, "n=" + std::to_string(place + 1), verdict, 0.5);
  row.place = place;
  return row;
}

// Shard `number` of three of a plan of seven cases.
ShardOfRun shard(int64_t number) {
  ShardOfRun made{"shard-" + std::to_string(number), {}};
  RunInfo& info = made.report.info;
  info.version = "1";
  info.suite = "ci";
  info.seed = 7;
  info.plan = "00112233";
  info.shard = std::to_string(number) + "/3";
  info.status = "complete";
  info.started = "2026-01-0" + std::to_string(number) + "T00:00:00Z";
  for (int64_t place = number - 1; place < 7; place += 3) made.report.rows.push_back(placed(place));
  info.cases_planned = static_cast<int64_t>(made.report.rows.size());
  return made;
}

std::vector<int64_t> places(const Report& report) {
  std::vector<int64_t> places;
  for (const ResultRow& row : report.rows) places.push_back(row.place);
  return places;
}

std::string refusal(std::vector<ShardOfRun> shards) {
  const auto merged = merge_shards(std::move(shards));
  return merged ? "merged" : merged.error().line();
}

TEST(Merge, RowsAreInThePlansOrder) {
  auto third = shard(3);
  ResultRow shrunk = placed(0, Kind::mismatch);
  shrunk.place = -1;
  shrunk.shrunk_from = third.report.rows[0].line();
  third.report.rows.insert(third.report.rows.begin() + 1, shrunk);
  ResultRow audit = placed(5, Kind::mistrusted);
  audit.place = -1;
  third.report.rows.push_back(audit);
  auto first = shard(1);
  first.report.rows.insert(first.report.rows.begin(), row_of("gone", "v", DType::f32, "n=1", Kind::skipped, 0));
  const auto merged = merge_shards({third, first, shard(2)});
  ASSERT_TRUE(merged) << merged.error().line();
  EXPECT_THAT(places(*merged), ElementsAre(-1, 0, 1, 2, -1, 3, 4, 5, 6));
  EXPECT_EQ(merged->rows[0].c.op, "gone");
  EXPECT_EQ(merged->rows[4].shrunk_from, shrunk.shrunk_from);
  EXPECT_TRUE(is_complete(merged->info));
  EXPECT_EQ(merged->info.cases_planned, 7);
  EXPECT_EQ(merged->info.shard, "");
  EXPECT_EQ(merged->info.started, "2026-01-01T00:00:00Z");
}

TEST(Merge, WithoutAShardItIsIncomplete) {
  const auto merged = merge_shards({shard(3), shard(1)});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->info.status, "shards missing: 2");
  EXPECT_EQ(summarise(*merged).outcome, Outcome::inconclusive);
  EXPECT_THAT(summarise(*merged).headline, HasSubstr("shards missing: 2"));
  auto killed = shard(2);
  killed.report.info.status = kRunning;
  EXPECT_EQ(merge_shards({shard(1), killed, shard(3)})->info.status, kRunning);
}

TEST(Merge, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(refusal({shard(1), shard(2), shard(1)}), HasSubstr("shard-1 and shard-1 are both shard 1 of 3"));
  auto other = shard(2);
  other.report.info.seed = 8;
  EXPECT_THAT(refusal({shard(1), other}), HasSubstr("seeds 7 and 8"));
  other = shard(2);
  other.report.info.plan = "44";
  EXPECT_THAT(refusal({shard(1), other}), HasSubstr("other cases"));
  other = shard(2);
  other.report.info.shard = "2/4";
  EXPECT_THAT(refusal({shard(1), other}), HasSubstr("shard-1 is one of 3 shards, shard-2 one of 4"));
  other = shard(2);
  other.report.rows[1].place = 0;
  EXPECT_THAT(refusal({shard(1), other}), HasSubstr("both have case 0 of the plan"));
  for (const char* text : {"", "x", "0/3", "4/3", "2/3x"}) {
    other.report.info.shard = text;
    EXPECT_THAT(refusal({other}), HasSubstr("shard-2")) << text;
  }
}

TEST(Merge, AShardWithoutCasesIsNoFailure) {
  auto empty = shard(2);
  empty.report.rows.clear();
  EXPECT_EQ(summarise(empty.report).outcome, Outcome::passed);
  empty.report.info.shard = "";
  EXPECT_EQ(summarise(empty.report).outcome, Outcome::inconclusive) << "a run without cases shows nothing";
}

}  // namespace
}  // namespace assay

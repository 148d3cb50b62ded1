// Tests the cost of a variant that hangs or crashes, and that its other cases are judged all the same.
#include "harness/search/campaign.h"

#include <gmock/gmock.h>

#include "harness/op/registry.h"

namespace assay {
namespace {

struct Silent : CampaignObserver {
  void case_done(const ResultRow&) override {}
  void row_ready(const ResultRow&) override {}
  void shrinking(const ResultRow&) override {}
  void shrunk(const ResultRow&, const ResultRow&) override {}
  void not_shrunk(const std::string&, size_t) override {}
};

// The cases are of planted kernels, in this order.
std::vector<Kind> verdicts_of(const std::vector<std::string>& lines) {
  std::vector<Task> tasks;
  for (const std::string& line : lines) tasks.push_back({*read_case("softmax_forward/" + line), "cpu"});
  Plan plan(std::move(tasks));
  CampaignOptions options;
  options.pool = {.program = ASSAY_BUILD_DIR "/assay_selftest", .case_limit = std::chrono::milliseconds(400)};
  options.shrink_budget = {};
  Silent silent;
  std::vector<Kind> verdicts;
  for (const ResultRow& row : run_campaign(plan, options, silent).rows) verdicts.push_back(row.verdict);
  return verdicts;
}

TEST(Campaign, GivesUpCasesThatHangAndJudgesTheOthers) {
  std::vector<std::string> lines;
  for (const char* seed : {"1", "2", "3", "4"})
    lines.push_back(std::string("loop_never_ends f32 rows=1 cols=70 fill=normal block=32 seed=") + seed);
  lines.emplace_back("loop_never_ends f32 rows=1 cols=10 fill=normal seed=1 block=32");
  EXPECT_THAT(verdicts_of(lines),
              testing::ElementsAre(Kind::timeout, Kind::timeout, Kind::timeout, Kind::skipped, Kind::pass));
}

TEST(Campaign, GivesUpNoCaseOfAVariantThatCrashes) {
  std::vector<std::string> lines;
  for (int seed = 0; seed < 9; ++seed)
    lines.push_back("null_written f32 rows=1 cols=70 fill=normal block=32 seed=" + std::to_string(seed));
  EXPECT_THAT(verdicts_of(lines), testing::Each(Kind::crash));
}

TEST(Campaign, AnOpMayHaveALimitOfItsOwn) {
  Plan plan(std::vector<Task>{
      {*read_case("softmax_forward/loop_never_ends f32 rows=1 cols=70 fill=normal seed=1 block=32"), "cpu"}});
  CampaignOptions options;
  options.pool = {.program = ASSAY_BUILD_DIR "/assay_selftest", .case_limit = std::chrono::minutes(10)};
  options.case_limits = {{"softmax_forward", std::chrono::milliseconds(200)}};
  options.shrink_budget = {};
  Silent silent;
  const auto rows = run_campaign(plan, options, silent).rows;
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].verdict, Kind::timeout);
  EXPECT_THAT(rows[0].detail, testing::HasSubstr("not done after 0.2 s"));
}

}  // namespace
}  // namespace assay

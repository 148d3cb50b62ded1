// A history in a file: what goes in comes out, once; others' files, old, new and damaged ones, are no harm.
#include "harness/history/history.h"

#include <gmock/gmock.h>

#include <thread>

#include "harness/base/rng.h"
#include "harness/compare/test_runs.h"
#include "harness/history/show.h"
#include "harness/selftest/run_program.h"

namespace assay::history {
namespace {

using comparison::add_subject;
using comparison::Measured;
using comparison::Subject;
using selftest::read_text;
using selftest::Scratch;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// The run of a day: a row with times and a count, one that fails from the `failing` on.
Measured run_of(int day, double ns, double sectors, bool failing = false) {
  Measured run = comparison::test_run();
  run.info.started = fmt::format("2026-01-{:02}T12:00:00Z", day);
  run.info.git_commit = fmt::format("{:040x}", day);
  run.info.suite = "bench";
  Subject& timed = add_subject(run, "rows=8192 cols=4096");
  comparison::set_times(timed, ns);
  comparison::set_exact(timed, "sectors_per_request", sectors);
  timed.error_over_budget = 0.25;
  Subject& other = add_subject(run, "rows=1 cols=1");
  if (failing) other.failure = "MISMATCH: y";
  return run;
}

class HistoryTest : public testing::Test {
 protected:
  History open(bool create = true) {
    auto history = History::open(path, create);
    if (!history) throw std::runtime_error(history.error().line());
    return *std::move(history);
  }
  std::string error_of_opening(bool create = false) const {
    const auto history = History::open(path, create);
    return history ? "no error" : history.error().line();
  }
  Scratch scratch;
  std::string path = scratch.path + "/history.db";
};

TEST_F(HistoryTest, RunsComeOutInTheOrderOfTheirStart) {
  {
    const History history = open();
    EXPECT_TRUE(history.add(run_of(2, 10'000, 4)).value());
    EXPECT_TRUE(history.add(run_of(1, 10'000, 4, true)).value());
    EXPECT_FALSE(history.add(run_of(2, 10'000, 4)).value()) << "it counts once";
  }
  const auto runs = open(false).runs();
  ASSERT_THAT(*runs, SizeIs(2));
  EXPECT_EQ((*runs)[0].started, "2026-01-01T12:00:00Z");
  EXPECT_EQ((*runs)[0].failing, 1);
  EXPECT_EQ((*runs)[1].failing, 0);
  EXPECT_EQ((*runs)[1].values, 5) << "time, sectors, two errors, failing cases";
}

// Nights together are a campaign: every case counts, and those that failed are on top.
TEST_F(HistoryTest, DaysAddUpToACampaign) {
  const History history = open();
  for (int day = 1; day <= 4; ++day) {
    Measured run = run_of(day, 10'000, 4, day == 2);
    const auto more = run.subjects;
    for (auto [key, subject] : more) {  // a second op, which never fails
      subject.variant = "rope/elementwise";
      subject.dtype = "bf16";
      subject.failure = "";
      run.subjects.emplace(key + " too", subject);
    }
    ASSERT_TRUE(history.add(run));
  }
  const int64_t cases = std::ssize(run_of(1, 10'000, 4).subjects);
  const auto text = [&](int64_t days) {
    std::string all;
    const Campaign campaign = history.campaign(days).value();
    for (const Tally& each : campaign.tallies)
      all += fmt::format("{} {} {}/{}, ", each.op, each.dtype, each.failing, each.cases);
    return all + fmt::format("{} days {} {}", campaign.days, campaign.first, campaign.last);
  };
  EXPECT_EQ(text(3), fmt::format("softmax f32 1/{0}, rope bf16 0/{0}, 3 days 2026-01-02 2026-01-04", 3 * cases));
  EXPECT_EQ(text(2), fmt::format("rope bf16 0/{0}, softmax f32 0/{0}, 2 days 2026-01-03 2026-01-04", 2 * cases));
  EXPECT_THAT(text(0), HasSubstr("4 days 2026-01-01 2026-01-04"));
  EXPECT_THAT(campaign_text(history.campaign(2).value()),
              HasSubstr(fmt::format("{} cases in 2 days, from 2026-01-03 to 2026-01-04; none failing: fewer than 1 in ",
                                    4 * cases)));
}

TEST_F(HistoryTest, TrendsAreASeriesForEachMetric) {
  const History history = open();
  for (int day = 1; day <= 3; ++day) ASSERT_TRUE(history.add(run_of(day, 10'000 * day, 4)));
  const auto trends = history.trends("softmax/warp", "time");
  ASSERT_THAT(*trends, SizeIs(1));
  const Trend& trend = trends->front();
  EXPECT_EQ(trend.unit, "ns");
  EXPECT_FALSE(trend.exact);
  ASSERT_THAT(trend.points, SizeIs(3));
  EXPECT_NEAR(trend.points[1].value / trend.points[0].value, 2, 1e-9);
  EXPECT_EQ(trend.points[2].commit, fmt::format("{:040x}", 3));
  EXPECT_THAT(*history.trends("", ""), SizeIs(5));
  EXPECT_THAT(*history.trends("no such", ""), IsEmpty());
}

// The line of a case is its name, and an op that gets an attribute has another one from then on.
TEST_F(HistoryTest, SeriesGoOnWhereAnOpGotAttributes) {
  const History history = open();
  const std::string before = "rope/elementwise f32 T=3 H=2 D=8 pos_offset=0 direction=forward base=10000";
  for (int day = 1; day <= 2; ++day) {
    Measured run = run_of(day, 10'000 * day, 4);
    for (auto& [key, subject] : run.subjects) {
      subject.variant = "rope/elementwise";
      subject.name = before + (day == 1 ? "" : " pairs=half alias=none") + " fill=normal seed=1 schedule=0";
    }
    ASSERT_TRUE(history.add(run));
  }
  const auto trends = history.trends("rope", "time");
  ASSERT_THAT(*trends, SizeIs(1));
  EXPECT_THAT(trends->front().points, SizeIs(2));
  EXPECT_THAT(trends->front().subject, HasSubstr("pairs=half"));
}

TEST_F(HistoryTest, OtherGpusAreOtherSeries) {
  const History history = open();
  for (int day = 1; day <= 2; ++day) {
    Measured run = run_of(day, 10'000, 4);
    run.info.gpu.emplace().name = day == 1 ? "NVIDIA H100" : "NVIDIA H200";
    ASSERT_TRUE(history.add(run));
  }
  EXPECT_THAT(*history.trends("", "time"), SizeIs(2));
}

TEST_F(HistoryTest, ChangesAreShownWithTheirCommit) {
  const History history = open();
  for (int day = 1; day <= 24; ++day)
    ASSERT_TRUE(history.add(run_of(day, (day < 15 ? 10'000 : 11'000) + 10 * (day * 7 % 11), day < 20 ? 4 : 2)));
  for (const size_t columns : {40u, 100u}) {
    const std::string text = trends_text(*history.trends("", ""), false, {.columns = columns});
    EXPECT_THAT(text, AllOf(HasSubstr("WORSE"), HasSubstr("00000000000"), HasSubstr("BETTER"), HasSubstr("4 -> 2")));
    EXPECT_LT(text.find("WORSE"), text.find("BETTER"));
    EXPECT_THAT(text, HasSubstr("5 series: 1 changes for the worse, 1 for the better, 0 others; 3 series are level\n"));
  }
  EXPECT_THAT(trends_text(*history.trends("", "time"), false), HasSubstr("since commit 000000000000, 2026-01-15"));
}

TEST_F(HistoryTest, IsExportedAsCsv) {
  const History history = open();
  Measured run = run_of(1, 10'000, 4);
  run.info.suite = "a, \"b\"";
  ASSERT_TRUE(history.add(run));
  std::vector<std::string> lines;
  ASSERT_TRUE(history.export_csv([&](const std::string& line) { lines.push_back(line); }));
  ASSERT_THAT(lines, SizeIs(6));
  EXPECT_THAT(lines[1], HasSubstr(",\"a, \"\"b\"\"\","));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("cpu,sectors_per_request,,4,,,1\n")));
}

TEST_F(HistoryTest, ARunWithoutAStartIsRefused) {
  Measured run = run_of(1, 10'000, 4);
  run.info.started = "";
  EXPECT_THAT(open().add(run).error().line(), HasSubstr("does not say when it was made"));
}

TEST_F(HistoryTest, NoFileIsAnErrorUnlessARunIsAdded) {
  EXPECT_THAT(error_of_opening(), HasSubstr("there is no history"));
}

TEST_F(HistoryTest, OtherFilesAreRefusedAndLeftAsTheyAre) {
  std::ofstream(path) << std::string(10'000, 'x');
  EXPECT_THAT(error_of_opening(true), AllOf(HasSubstr(path), HasSubstr("--db")));
  EXPECT_EQ(read_text(path), std::string(10'000, 'x'));
  std::filesystem::remove(path);
  {
    auto theirs = Database::open(path, {"CREATE TABLE mine (x)"}, true);
    ASSERT_TRUE(theirs && theirs->run("PRAGMA application_id = 7"));
  }
  EXPECT_THAT(error_of_opening(true), HasSubstr("database of another program"));
}

// -- Versions of the schema.

TEST_F(HistoryTest, OldFilesAreMigratedAndNewerOnesRefused) {
  const Migrations first{"CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)"};
  const Migrations second{first[0], "ALTER TABLE t ADD COLUMN y INTEGER NOT NULL DEFAULT 7"};
  ASSERT_TRUE(Database::open(path, first, true));
  {
    const auto migrated = Database::open(path, second, false);
    ASSERT_TRUE(migrated) << migrated.error().line();
    auto row = migrated->prepare("SELECT x, y FROM t");
    ASSERT_TRUE(row && *row->step());
    EXPECT_EQ(row->integer(0), 1);
    EXPECT_EQ(row->integer(1), 7);
  }
  const auto older = Database::open(path, first, false);
  ASSERT_FALSE(older);
  EXPECT_THAT(older.error().line(),
              HasSubstr("has version 2 of the history's schema, and this Assay knows versions up to 1"));
}

TEST_F(HistoryTest, AMigrationThatFailsChangesNothing) {
  ASSERT_TRUE(Database::open(path, {"CREATE TABLE t (x INTEGER)"}, true));
  const std::string before = read_text(path);
  EXPECT_FALSE(Database::open(path, {"", "ALTER TABLE t ADD COLUMN y INTEGER; SELECT no_such_function()"}, false));
  EXPECT_EQ(read_text(path), before);
}

// -- Writers at once, writers that are killed, damaged files.

TEST_F(HistoryTest, WritersTakeTurns) {
  open();
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&, writer] {
      const History history = open(false);
      for (int day = 1; day <= 6; ++day) EXPECT_TRUE(history.add(run_of(day, 10'000 + writer, 4)));
    });
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(*open(false).runs(), SizeIs(24));
}

TEST_F(HistoryTest, DamagedFilesAreAnErrorOrReadAndNeverMore) {
  {
    const History history = open();
    for (int day = 1; day <= 12; ++day) ASSERT_TRUE(history.add(run_of(day, 10'000, 4)));
  }
  const std::string whole = read_text(path);
  const char* const asked = std::getenv("ASSAY_MUTATIONS");
  const uint64_t rounds = asked ? std::strtoull(asked, nullptr, 10) : 40;
  uint64_t errors = 0;
  for (uint64_t round = 0; round < rounds; ++round) {
    Rng rng = Rng::stream(round, "damage");
    std::string text = whole;
    for (uint64_t edits = 1 + rng.below(30); edits > 0; --edits)
      text[rng.below(rng.below(2) == 0 ? 200 : text.size())] = static_cast<char>(rng.below(256));
    if (rng.below(4) == 0) text.resize(rng.below(text.size()));
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    const auto history = History::open(path, true);
    std::string error = history ? "" : history.error().line();
    if (history) {
      const auto keep = [&](const auto& result) { error += result ? "" : result.error().line(); };
      keep(history->runs());
      const auto trends = history->trends("", "");
      keep(trends);
      if (trends) (void)trends_text(*trends, true);
      keep(history->export_csv([](const std::string&) {}));
      keep(history->add(run_of(20, 10'000, 4)));
    }
    errors += !error.empty();
    EXPECT_TRUE(error.empty() || error.find(path) != std::string::npos) << "round " << round << ": " << error;
    std::filesystem::remove(path + "-journal");
  }
  EXPECT_GT(errors, rounds / 4);
}

}  // namespace
}  // namespace assay::history

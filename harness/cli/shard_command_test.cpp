// Shards that are merged, and runs that were killed and went on, have the results of one run in one piece.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/cli/test_usage_error.h"
#include "harness/report/report.h"
#include "harness/selftest/as_found.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::expect_usage_error;
using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::run_command;
using selftest::Scratch;
using testing::HasSubstr;

// Right and broken kernels, so that there is something to shrink.
constexpr const char* kCheck =
    "check transpose_2d/elementwise softmax_forward/tail_dropped softmax_forward/barrier_missing --cases 4 --jobs 2 "
    "--regressions none --no-save ";

class Sharded : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return scratch_.path + "/" + name; }
  Ran check(const std::string& options) const { return run("assay_selftest", kCheck + options); }
  std::string csv(const std::string& name) const { return read_text(at(name) + "/results.csv"); }
  Scratch scratch_;
};

TEST_F(Sharded, MergedShardsAreTheWholeRun) {
  ASSERT_EQ(check("--out " + at("whole")).exit_code, 1);
  const Ran first = check("--shard 1/3 --out " + at("1"));
  EXPECT_EQ(first.exit_code, 1) << first.err;
  EXPECT_EQ(run_command("cd " ASSAY_SOURCE_DIR " && GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=1 GTEST_SHARD_STATUS_FILE=" +
                        at("heeded") + " " ASSAY_BUILD_DIR "/assay_selftest " + kCheck + "--out " + at("2"))
                .exit_code,
            1);
  EXPECT_TRUE(fs::exists(at("heeded")));
  EXPECT_THAT(read_text(at("2") + "/run.json"), HasSubstr("\"shard\": \"2/3\""));
  EXPECT_EQ(check("--shard 3/3 --out " + at("3")).exit_code, 1);
  const std::string shards = at("3") + " " + at("1") + " " + at("2");
  const Ran merged = run("assay_selftest", "merge " + shards + " --out " + at("merged"));
  EXPECT_EQ(merged.exit_code, 1) << merged.err;
  EXPECT_EQ(csv("merged"), csv("whole"));
  EXPECT_THAT(csv("whole"), HasSubstr("nonzero=0")) << "shrinking did nothing, so this shows nothing of it";

  const Ran some = run("assay_selftest", "merge " + at("1") + " " + at("3") + " --shrink 0 --out " + at("some"));
  EXPECT_EQ(some.exit_code, 1);
  EXPECT_THAT(some.out, HasSubstr("shards missing: 2"));
  expect_usage_error(run("assay_selftest", "merge " + at("1") + " " + at("whole")), "whole is no shard of a run",
                     "--shard");
  expect_usage_error(run("assay_selftest", "merge " + at("1") + " --out " + at("1")), "would be overwritten", "--out");
  EXPECT_TRUE(fs::exists(at("1") + "/results.csv"));
}

TEST_F(Sharded, TheLastSlurmTaskShrinksFailuresOfTheUsersFiles) {
  const auto task = [&](const std::string& shard) {
    return run_command("cd " + scratch_.path + " && ASSAY=" ASSAY_BUILD_DIR "/assay ASSAY_JOB=7 ASSAY_SHARD=" + shard +
                       " " ASSAY_SOURCE_DIR "/scripts/slurm_check " ASSAY_SOURCE_DIR
                       "/harness/selftest/pairs/softmax.cu -D TAIL --cases 30");
  };
  EXPECT_EQ(task("1/2").exit_code, 1);
  const Ran last = task("2/2");
  EXPECT_EQ(last.exit_code, 1) << last.err;
  EXPECT_THAT(last.err, testing::Not(HasSubstr("are not shrunk")));
  EXPECT_THAT(read_text(at("reports/slurm-7/merged/results.csv")), HasSubstr("nonzero=0"));
}

// Only a process that has a user's kernels shrinks their failures.
TEST_F(Sharded, OfAFileToo) {
  const std::string file = selftest::kAsFound + "/python_rms_norm.toml";
  const auto check_file = [&](const std::string& options) {
    return run("assay", "check " + file + " --cases 6 --device cpu --regressions none --no-save --out " + options);
  };
  ASSERT_EQ(check_file(at("whole")).exit_code, 1);
  for (const char* number : {"1", "2"}) check_file(at(number) + " --shard " + number + "/2");
  const std::string merge = "merge " + at("1") + " " + at("2") + " --out " + at("merged");
  const Ran without = run("assay", merge);
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_THAT(without.err, HasSubstr("are not shrunk: their kernels (--source FILE)"));
  EXPECT_NE(csv("merged"), csv("whole"));
  EXPECT_EQ(run("assay", merge + " --source " + file).exit_code, 1);
  EXPECT_EQ(csv("merged"), csv("whole"));
}

TEST_F(Sharded, AKilledRunGoesOn) {
  ASSERT_EQ(check("--out " + at("whole")).exit_code, 1);
  const std::string rows = at("killed") + "/results.jsonl";
  run_command("cd " ASSAY_SOURCE_DIR " && " ASSAY_BUILD_DIR "/assay_selftest " + std::string(kCheck) + "--out " +
              at("killed") + " & pid=$!; until [ $(cat " + rows +
              " 2>/dev/null | wc -l) -ge 5 ]; do sleep 0.01; done; kill -9 $pid; wait $pid");
  std::ofstream(rows, std::ios::app) << "{\"case\": \"torn";
  const Ran resumed = check("--resume " + at("killed"));
  EXPECT_EQ(resumed.exit_code, 1) << resumed.err;
  EXPECT_EQ(csv("killed"), csv("whole"));
  EXPECT_EQ(check("--resume " + at("killed")).exit_code, 1) << "one that is complete is complete";
  EXPECT_EQ(csv("killed"), csv("whole"));
  const std::string before = read_text(rows);
  expect_usage_error(check("--seed 2 --resume " + at("killed")), "planned other cases", "--out");
  expect_usage_error(run("assay_selftest", kCheck + ("--shard 1/2 --resume " + at("killed"))), "is another shard",
                     "--out");
  EXPECT_EQ(read_text(rows), before) << "a refusal changes nothing";
}

// The folder is marked before the cases are planned, so a process that was killed between the two has run none.
TEST_F(Sharded, ARunThatWasKilledBeforeItPlannedGoesOn) {
  ASSERT_EQ(check("--out " + at("whole")).exit_code, 1);
  fs::create_directory(at("killed"));
  std::ofstream(at("killed") + "/results.jsonl");
  RunInfo marked;
  marked.status = kRunning;
  ASSERT_TRUE(write_run_info(marked, at("killed")));
  const Ran resumed = check("--resume " + at("killed"));
  EXPECT_EQ(resumed.exit_code, 1) << resumed.err;
  EXPECT_EQ(csv("killed"), csv("whole"));
}

}  // namespace
}  // namespace assay

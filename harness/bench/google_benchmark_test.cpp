// Tests recorded timings in Google Benchmark's output: every kept sample, under a name that stays, with its figures.
#include "harness/bench/google_benchmark.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using nlohmann::json;
using selftest::read_text;
using selftest::Scratch;
using testing::HasSubstr;

ResultRow timed_row(const std::string& line, const std::vector<double>& kept_us) {
  const auto c = parse_case(line);
  EXPECT_TRUE(c.has_value());
  ResultRow row = row_for(*c, "gpu");
  Timing& timing = row.timing.emplace();
  row.figures["median_us"] = 20;
  row.figures["gb_per_s"] = 1000;
  row.figures["of_roof"] = 0.5;
  row.figures["speedup"] = 2;
  for (const double us : kept_us) timing.samples.push_back({.us = us, .sm_mhz = 1980});
  timing.samples.push_back({.us = 999, .sm_mhz = 300, .discarded = true});
  return row;
}

const std::string kLine = "some_op/our_idea bf16 rows=4096 causal=1 fill=normal seed=3 block=256 schedule=0";
const std::string kName = "some_op/our_idea/bf16/rows=4096/causal=1/block=256";

json published(const std::vector<ResultRow>& rows, std::vector<std::string> flags = {}) {
  const Scratch scratch;
  const std::string path = scratch.path + "/benchmark.json";
  const auto set = set_google_benchmark_flags(flags, path);
  EXPECT_TRUE(set.has_value()) << (set ? "" : set.error().line());
  testing::internal::CaptureStdout();
  publish(rows, {{"gpu", "NVIDIA H200"}});
  testing::internal::GetCapturedStdout();
  return json::parse(read_text(path));
}

TEST(GoogleBenchmark, HoldsEveryKeptSampleInItsOrder) {
  const std::vector<double> samples = {20.125, 19.5, 20, 31.0625};
  const json all = published({timed_row(kLine, samples)}).at("benchmarks");
  std::vector<double> times;
  std::map<std::string, double> aggregates;
  for (const json& run : all) {
    EXPECT_EQ(run.at("run_name"), kName);
    EXPECT_EQ(run.at("time_unit"), "us");
    EXPECT_EQ(run.at("repetitions"), 4);
    if (run.at("run_type") == "iteration") {
      times.push_back(run.at("real_time"));
      EXPECT_EQ(run.at("iterations"), 1);
      EXPECT_NEAR(run.at("GB/s"), 1000 * 20 / times.back(), 1e-9);
      EXPECT_NEAR(run.at("of_roof"), 0.5 * 20 / times.back(), 1e-12);
      EXPECT_NEAR(run.at("speedup"), 2 * 20 / times.back(), 1e-12);
      EXPECT_FALSE(run.contains("TFLOP/s")) << "the row has none";
    } else if (run.at("aggregate_unit") == "time") {
      aggregates[run.at("aggregate_name")] = run.at("real_time");
    }
  }
  EXPECT_THAT(times, testing::Pointwise(testing::DoubleNear(1e-9), samples));
  EXPECT_NEAR(aggregates.at("median"), (20 + 20.125) / 2, 1e-9);
  EXPECT_NEAR(aggregates.at("mean"), (20.125 + 19.5 + 20 + 31.0625) / 4, 1e-9);
}

TEST(GoogleBenchmark, LeavesOutWhatHasNoTimesOrNoRightOnes) {
  ResultRow wrong = timed_row(kLine, {20});
  wrong.verdict = Kind::timing_suspect;
  ResultRow untimed = timed_row(kLine, {});
  ResultRow unmeasured = untimed;
  unmeasured.timing.reset();
  ResultRow right = timed_row("some_op/other f32 rows=1 fill=normal seed=3 schedule=0", {5});
  const json all = published({wrong, untimed, unmeasured, right}).at("benchmarks");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].at("name"), "some_op/other/f32/rows=1");
  EXPECT_NEAR(all[0].at("real_time"), 5, 1e-9);
}

TEST(GoogleBenchmark, TakesItsFilterAndSaysWhichGpu) {
  const auto rows = {timed_row(kLine, {20}), timed_row("some_op/other f32 rows=1 fill=normal seed=3 schedule=0", {5})};
  const json all = published(rows, {"--benchmark_filter=/other/"});
  ASSERT_EQ(all.at("benchmarks").size(), 1u);
  EXPECT_EQ(all.at("benchmarks")[0].at("name"), "some_op/other/f32/rows=1");
  EXPECT_EQ(all.at("context").at("gpu"), "NVIDIA H200");
  EXPECT_TRUE(set_google_benchmark_flags({"--benchmark_filter="}, "/dev/null").has_value());
}

TEST(GoogleBenchmark, WrongFlagsAreErrors) {
  const auto error = [](const std::string& flag) {
    const auto set = set_google_benchmark_flags({flag}, "/dev/null");
    return set ? "none" : set.error().line();
  };
  EXPECT_THAT(error("--benchmark_frobnicate=1"), HasSubstr("--benchmark_frobnicate"));
  EXPECT_THAT(error("--benchmark_format=xml"), HasSubstr("use console, json or csv"));
  EXPECT_THAT(error("--benchmark_repetitions=3"), HasSubstr("has no meaning here"));
  EXPECT_THAT(error("--benchmark_out=/proc/none/x"), HasSubstr("cannot write /proc/none/x"));
  EXPECT_EQ(error("--benchmark_format=console"), "none");
}

}  // namespace
}  // namespace assay

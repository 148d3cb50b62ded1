// Reading what others wrote: rows, baselines, Google Benchmark's JSON, and what is none of them.
#include <gmock/gmock.h>

#include "harness/compare/baseline.h"
#include "harness/compare/measured.h"
#include "harness/report/test_sample_report.h"
#include "harness/selftest/run_program.h"

namespace assay::comparison {
namespace {

using selftest::Scratch;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

constexpr const char* kGoogle = R"({
  "context": {"date": "2026-01-31T12:00:00+00:00", "executable": "./bench", "host_name": "h"},
  "benchmarks": [
    {"name": "copy/8", "run_name": "copy/8", "run_type": "iteration", "real_time": 2.5, "cpu_time": 2, "time_unit": "us"},
    {"name": "copy/8", "run_name": "copy/8", "run_type": "iteration", "real_time": 3, "cpu_time": 2.5, "time_unit": "us"},
    {"name": "copy/8_mean", "run_name": "copy/8", "run_type": "aggregate", "real_time": 2.75, "cpu_time": 2, "time_unit": "us"},
    {"name": "gpu/manual_time", "run_name": "gpu/manual_time", "run_type": "iteration", "real_time": 7, "cpu_time": 1, "time_unit": "ns"},
    {"name": "bad", "run_name": "bad", "run_type": "iteration", "error_occurred": true, "error_message": "no file"}
  ]})";

TEST(GoogleBenchmark, RepetitionsAreSamples) {
  const auto measured = google_benchmark_from(kGoogle);
  ASSERT_TRUE(measured) << measured.error().line();
  const Subject& copy = measured->subjects.at("copy/8");
  EXPECT_THAT(copy.series.at(kTime).samples, ElementsAre(ElementsAre(2500, 3000)));
  EXPECT_THAT(copy.series.at("CPU time").samples, ElementsAre(ElementsAre(2000, 2500)));
  EXPECT_THAT(measured->subjects.at("gpu/manual_time").series, ElementsAre(Key(kTime)));
  EXPECT_EQ(measured->subjects.at("bad").failure, "no file");
}

TEST(GoogleBenchmark, SaysWhatIsWrongWhere) {
  const auto error_of = [](const std::string& benchmark) {
    const auto measured = google_benchmark_from("{\"benchmarks\": [" + benchmark + "]}");
    return measured ? std::string("no error") : measured.error().line();
  };
  EXPECT_THAT(error_of(R"({"name": "a", "real_time": 1, "cpu_time": 1, "time_unit": "h"})"),
              AllOf(HasSubstr("benchmark 1"), HasSubstr("'h' is no unit of time")));
  EXPECT_THAT(error_of(R"({"name": "a", "real_time": 0, "cpu_time": 1, "time_unit": "ns"})"), HasSubstr("not above 0"));
  EXPECT_THAT(error_of(R"({"name": "a", "cpu_time": 1})"), AllOf(HasSubstr("benchmark 1"), HasSubstr("real_time")));
  EXPECT_THAT(error_of(R"({"name": "a_mean", "run_type": "aggregate"})"),
              AllOf(HasSubstr("aggregates only"), HasSubstr("--benchmark_repetitions=30")));
  EXPECT_THAT(error_of("3"), HasSubstr("benchmark 1"));
}

// A row of a GPU's times, and one of what is counted.
Report small_report() {
  Report report = sample_report();
  report.rows.resize(3);
  report.info.status = "complete";
  report.rows[0].device = "gpu";
  Timing& timing = report.rows[0].timing.emplace();
  timing.gpu = "NVIDIA H200";
  timing.samples = {{12.5, 1980}, {99, 1000, true}, {13, 1900}};
  report.rows[2].resources = {{.kernel = "softmax<float>", .capability = 90, .registers = 40}};
  return report;
}

TEST(Rows, TimesCountsResourcesAndErrorsAreMeasured) {
  const Report report = small_report();
  Measured measured;
  for (const ResultRow& row : report.rows) ASSERT_TRUE(add_row(measured, row));
  const Subject& timed = measured.subjects.at(report.rows[0].line() + " on gpu");
  EXPECT_THAT(timed.series.at(kTime).samples, ElementsAre(ElementsAre(12500, 13000))) << "a discarded sample is none";
  EXPECT_THAT(timed.series.at(kCycles).samples, ElementsAre(ElementsAre(12.5 * 1980, 13 * 1900.0)));
  EXPECT_EQ(timed.error_over_budget, 0.25);
  const Subject& counted = measured.subjects.at(report.rows[2].line() + " on cpu");
  EXPECT_TRUE(counted.series.at("bank_conflict_degree").is_ratio);
  EXPECT_FALSE(counted.series.at(kBytes).is_ratio);
  EXPECT_EQ(counted.series.at(kBytes).verb, "moves");
  EXPECT_THAT(counted.series.at("registers of softmax<float> (sm_90)").samples, ElementsAre(ElementsAre(40)));
}

TEST(Rows, InstructionsAreMeasuredOfEachClass) {
  Report report = small_report();
  AccessStatistics statistics;
  for (const int64_t count : {5, 7}) {  // a kernel that two steps of a composite launch is there twice
    KernelCounts& kernel = statistics.kernels.emplace_back();
    kernel.kernel = "k";
    kernel.instructions[Counted::fp32] = count;
    kernel.instructions[Counted::move] = 1;
  }
  set_statistics(report.rows[2], statistics);
  Measured measured;
  ASSERT_TRUE(add_row(measured, report.rows[2]));
  const auto& series = measured.subjects.begin()->second.series;
  EXPECT_THAT(series.at("fp32 instructions of k").samples, ElementsAre(ElementsAre(12)));
  EXPECT_TRUE(series.at("fp32 instructions of k").exact);
  EXPECT_THAT(series.at("warp_instructions").samples, ElementsAre(ElementsAre(14)));
  EXPECT_FALSE(series.at("warp_instructions").is_ratio);
  EXPECT_THAT(series.at("fp64 instructions of k").samples, ElementsAre(ElementsAre(0))) << "the first one is growth";
  EXPECT_FALSE(series.contains("move instructions of k"));
}

TEST(Rows, TheSameRowAgainIsAnotherProcess) {
  const Report report = small_report();
  Measured measured;
  for (int process = 0; process < 2; ++process) ASSERT_TRUE(add_row(measured, report.rows[0]));
  EXPECT_EQ(measured.subjects.begin()->second.series.at(kTime).samples.size(), 2u);
}

TEST(Rows, ATimeOfNothingIsRefused) {
  Report report = small_report();
  report.rows[0].timing->samples[0].us = 0;
  Measured measured;
  EXPECT_FALSE(add_row(measured, report.rows[0]));
}

TEST(ReadMeasured, FoldersFilesAndBaselinesHoldTheSame) {
  Scratch scratch;
  const Report report = small_report();
  ASSERT_TRUE(write_report(report, scratch.path));
  std::ofstream(scratch.path + "/base.json") << baseline_text(report);
  const auto folder = read_measured(scratch.path), file = read_measured(scratch.path + "/results.jsonl"),
             baseline = read_measured(scratch.path + "/base.json");
  for (const auto* measured : {&folder, &file, &baseline}) {
    ASSERT_TRUE(*measured) << measured->error().line();
    EXPECT_EQ((*measured)->info.seed, report.info.seed);
    EXPECT_EQ((*measured)->subjects.size(), 3u);
    const Subject& counted = (*measured)->subjects.at(report.rows[2].line() + " on cpu");
    EXPECT_EQ(counted.series.size(), folder->subjects.at(report.rows[2].line() + " on cpu").series.size());
    EXPECT_GT(counted.series.size(), 4u);
  }
}

TEST(ReadMeasured, SaysWhichFileIsNone) {
  Scratch scratch;
  const auto error_of = [&](const std::string& text) {
    std::ofstream(scratch.path + "/base.json") << text;
    const auto measured = read_measured(scratch.path + "/base.json");
    return measured ? std::string("no error") : measured.error().line();
  };
  EXPECT_THAT(error_of("{"), AllOf(HasSubstr("base.json"), HasSubstr("no JSON")));
  EXPECT_THAT(error_of("{}"), HasSubstr("neither benchmarks nor rows"));
  EXPECT_THAT(error_of("[]"), HasSubstr("neither benchmarks nor rows"));
  EXPECT_THAT(error_of("{\"benchmarks\": []}"), HasSubstr("has no results"));
  EXPECT_THAT(error_of("{\"schema\": 99, \"rows\": []}"), HasSubstr("version is 99"));
  std::string damaged = baseline_text(small_report());
  damaged.replace(damaged.find("\"seed\":7"), 8, "\"seed\":8");
  EXPECT_THAT(error_of(damaged), AllOf(HasSubstr("row 1"), HasSubstr("its case line")));
  EXPECT_THAT(read_measured(scratch.path + "/none").error().line(), HasSubstr("there is no"));
}

TEST(Baseline, IsNamedAfterTheGpu) {
  RunInfo info;
  info.device = "cpu-checked";
  EXPECT_EQ(baseline_path(info), "reports/baseline/cpu_checked.json");
  info.gpu.emplace().name = "NVIDIA H100 80GB HBM3";
  EXPECT_EQ(baseline_path(info), "reports/baseline/nvidia_h100_80gb_hbm3.json");
}

}  // namespace
}  // namespace assay::comparison

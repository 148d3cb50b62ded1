// `assay bench` end to end: what it prints without a GPU, what it measures on one (a simulated one, whose times mean
// nothing), what it keeps, and that bad input gets one line that helps.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using nlohmann::json;
using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::Scratch;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSimulated = ASSAY_BUILD_DIR "/simulated_gpu";

// A suite of two lines, a folder for results, and the modules of a GPU's build: none, or the simulated one.
class Bench : public testing::Test {
 protected:
  Bench() {
    std::ofstream(suite_) << "about = \"x\"\n"
                             "[[bench]]\n"
                             "line = \"softmax_forward/* bf16 rows=4096 cols=4097 fill=normal seed=1\"\n"
                             "from = \"a model's softmax\"\n"
                             "[[bench]]\n"
                             "line = \"transpose_2d/padded_tile f32 rows=300 cols=200 fill=normal seed=1\"\n"
                             "from = \"a model's transpose\"\n";
    use_modules(scratch_.path);
  }
  ~Bench() override { unsetenv("ASSAY_GPU_MODULES"); }

  static void use_modules(const std::string& folder) { setenv("ASSAY_GPU_MODULES", folder.c_str(), 1); }

  Ran bench(const std::string& arguments) { return run("assay", "bench --suite " + suite_ + " " + arguments); }
  Ran bench_to_out(const std::string& arguments) { return bench("--out " + out_ + " " + arguments); }

  std::vector<json> rows() const {
    std::istringstream lines(read_text(out_ + "/results.jsonl"));
    std::vector<json> all;
    for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
    return all;
  }

  const Scratch scratch_;
  const std::string suite_ = scratch_.path + "/some.toml", out_ = scratch_.path + "/out";
};

void expect_usage_error(const Ran& ran, const std::string& what) {
  EXPECT_EQ(ran.exit_code, 2) << ran.out << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_THAT(ran.err, AllOf(testing::StartsWith("assay: "), HasSubstr(what)));
}

using WithoutAGpu = Bench;

TEST_F(WithoutAGpu, SaysWhyAndShowsWhatNeedsNone) {
  const Ran ran = bench_to_out("");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, testing::StartsWith("no times: this build has no kernels for a GPU"));
  EXPECT_THAT(ran.out,
              HasSubstr("for softmax_forward/* bf16 rows=4096 cols=4097 causal=0 scale=1 heads=1 fill=normal seed=1"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("a model's softmax"), HasSubstr("a model's transpose")));
  EXPECT_THAT(ran.out, testing::ContainsRegex("softmax_forward/warp_per_row bf16 rows=[0-9]+ cols=[0-9]+ .*block=256"));
  EXPECT_THAT(ran.out, HasSubstr("softmax_forward<__nv_bfloat16>"));
  EXPECT_THAT(ran.out, HasSubstr("transpose_2d/padded_tile f32 "));
  EXPECT_THAT(ran.out, Not(HasSubstr("transpose_2d/elementwise"))) << "the line names another variant";
  EXPECT_THAT(ran.out, HasSubstr("PASSED: 3 cases passed"));
  ASSERT_EQ(rows().size(), 3u);
  for (const json& row : rows()) {
    EXPECT_EQ(row.at("device"), "cpu-checked");
    EXPECT_TRUE(row.contains("statistics"));
    EXPECT_FALSE(row.contains("timing"));
  }
}

TEST_F(WithoutAGpu, RepeatsItselfAndSaysNoTime) {
  const Ran first = bench_to_out("--jobs 1");
  const std::string csv = read_text(out_ + "/results.csv");
  const Ran second = bench_to_out("--jobs 2");
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(csv, read_text(out_ + "/results.csv"));
  const std::regex time("[0-9] ?(s|ms|us|µs|ns|seconds?|minutes?)\\b|GB/s|TB/s|FLOP/s");
  const std::string said = first.out.substr(0, first.out.find("report: "));  // the folder's name is anything
  std::smatch found;
  EXPECT_FALSE(std::regex_search(said, found, time)) << found.str();
}

TEST_F(WithoutAGpu, SmallerCasesWhereAsked) {
  const Ran ran = bench_to_out("softmax_forward/warp_per_row --elements-max 5000");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  std::smatch dims;
  ASSERT_TRUE(std::regex_search(ran.out, dims, std::regex("warp_per_row bf16 rows=([0-9]+) cols=([0-9]+)")));
  EXPECT_LE(2 * std::stoll(dims[1]) * std::stoll(dims[2]), 5000);
  const Ran none = bench_to_out("softmax_forward --elements-max 1");
  EXPECT_EQ(none.exit_code, 3) << "nothing was shown";
  EXPECT_THAT(none.out, HasSubstr("SKIPPED: too expensive for the executor"));
}

TEST_F(WithoutAGpu, ResumeKeepsTheRowsThatAreThere) {
  ASSERT_EQ(bench_to_out("softmax_forward/warp_per_row").exit_code, 0);
  json row = rows().at(0);
  row["statistics"]["kernels"][0]["total"]["read_sectors"] = 1'000'000;  // it is not counted again
  std::ofstream(out_ + "/results.jsonl") << row.dump() << "\n";
  const Ran ran = bench("--resume " + out_);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(" 32,000,000 "));
  EXPECT_EQ(rows().size(), 3u);
  EXPECT_THAT(bench_to_out("").out, Not(HasSubstr(" 32,000,000 ")));
}

class WithAGpu : public Bench {
 protected:
  WithAGpu() { use_modules(kSimulated); }
};

constexpr const char* kRight =
    "softmax_forward/warp_per_row softmax_forward/block_per_row transpose_2d --case-budget 0.001s ";

TEST_F(WithAGpu, MeasuresWhatPassesAndPublishesIt) {
  std::ofstream(suite_) << "about = \"x\"\n[[bench]]\nfrom = \"a model\"\n"
                           "line = \"softmax_forward/* bf16 rows=64 cols=65 fill=normal seed=1\"\n";
  const Ran ran = bench_to_out("--case-limit 2s --case-budget 0.001s");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  std::map<std::string, std::string> verdicts;
  for (const json& row : rows()) {
    verdicts[row.at("variant")] = row.at("verdict");
    EXPECT_EQ(row.contains("timing"), row.at("verdict") == "PASS") << row.dump();
  }
  EXPECT_EQ(verdicts.at("warp_per_row"), "PASS");
  EXPECT_EQ(verdicts.at("block_per_row"), "PASS");
  EXPECT_EQ(verdicts.at("reads_far_away"), "CRASH");
  EXPECT_EQ(verdicts.at("never_ends"), "TIMEOUT");
  const json published = json::parse(read_text(out_ + "/benchmark.json"));
  EXPECT_EQ(published.at("context").at("gpu"), "simulated GPU");
  std::map<std::string, int> repetitions;
  for (const json& each : published.at("benchmarks"))
    if (each.at("run_type") == "iteration") ++repetitions[each.at("name")];
  EXPECT_EQ(repetitions.size(), 2u);
  EXPECT_GT(repetitions["softmax_forward/warp_per_row/bf16/rows=64/cols=65/causal=0/scale=1/heads=1/block=256"], 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("softmax_forward/warp_per_row/bf16"), HasSubstr("a model")));
  EXPECT_THAT(read_text(out_ + "/run.json"), HasSubstr("simulated GPU"));
}

// A kernel that takes the GPU with it only after many runs, one that hangs then, and a right one beside them, which has
// the samples of all its processes.
TEST_F(WithAGpu, AFaultInATimedRunIsBlamedOnItsOwnVariant) {
  std::ofstream(suite_) << "about = \"x\"\n[[bench]]\nfrom = \"a model\"\n"
                           "line = \"softmax_forward/* bf16 rows=64 cols=65 fill=normal seed=1\"\n";
  const Ran ran = bench_to_out(
      "--case-limit 2s --case-budget 0.001s --processes 3 softmax_forward/warp_per_row "
      "softmax_forward/is_lost_when_timed softmax_forward/hangs_when_timed");
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  std::map<std::string, json> found;
  for (const json& row : rows()) found[row.at("variant")] = row;
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found["is_lost_when_timed"].at("verdict"), "CRASH");
  EXPECT_THAT(found["is_lost_when_timed"].at("detail"), HasSubstr("while it was timed: "));
  EXPECT_EQ(found["hangs_when_timed"].at("verdict"), "TIMEOUT");
  const json& right = found["warp_per_row"];
  EXPECT_EQ(right.at("verdict"), "PASS") << right.dump();
  EXPECT_EQ(right.at("timing").at("samples").back().at(3), 2) << "of the third process";
  EXPECT_TRUE(right.contains("low_us"));
}

TEST_F(WithAGpu, ResumeMeasuresOnlyWhatIsMissing) {
  std::ofstream(suite_) << "about = \"x\"\n[[bench]]\nfrom = \"a model\"\n"
                           "line = \"softmax_forward/* bf16 rows=64 cols=65 fill=normal seed=1\"\n"
                           "[[bench]]\nfrom = \"another\"\n"
                           "line = \"transpose_2d/* f32 rows=30 cols=20 fill=normal seed=1\"\n";
  ASSERT_EQ(bench_to_out(kRight).exit_code, 0);
  std::vector<json> before = rows();
  ASSERT_EQ(before.size(), 4u);
  std::ofstream file(out_ + "/results.jsonl");
  for (json& row : before) {
    if (row.at("variant") == "elementwise") continue;  // as if it had been interrupted here
    row["timing"]["gpu"] = "kept";
    file << row.dump() << "\n";
  }
  file.close();
  const Ran ran = bench("--resume " + out_ + " " + kRight);
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  std::map<std::string, std::string> gpus;
  for (const json& row : rows()) gpus[row.at("variant")] = row.at("timing").at("gpu");
  EXPECT_EQ(gpus.size(), 4u);
  EXPECT_EQ(gpus["warp_per_row"], "kept");
  EXPECT_EQ(gpus["elementwise"], "simulated GPU");
  EXPECT_EQ(gpus["padded_tile"], "simulated GPU") << "a case is measured as a whole";
}

TEST_F(WithAGpu, GoogleBenchmarksFlagsArePassedOn) {
  std::ofstream(suite_) << "about = \"x\"\n[[bench]]\nfrom = \"a model\"\n"
                           "line = \"softmax_forward/* bf16 rows=64 cols=65 fill=normal seed=1\"\n";
  const Ran ran = bench_to_out(std::string(kRight) + "--benchmark_filter=block_per --benchmark_format=csv");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("name,iterations,real_time"));
  EXPECT_THAT(ran.out, HasSubstr("softmax_forward/block_per_row/bf16/rows=64/cols=65"));
  EXPECT_THAT(ran.out, Not(HasSubstr("softmax_forward/warp_per_row/bf16/rows=64/cols=65")));
  expect_usage_error(bench_to_out("--benchmark_frobnicate=1"), "--benchmark_frobnicate");
}

TEST_F(Bench, BadInputGetsOneLine) {
  expect_usage_error(bench("softmax_forwrd"), "did you mean 'softmax_forward'");
  expect_usage_error(bench("rope"), "has no bench line for what is selected");
  expect_usage_error(bench("--device cpu"), "no device to measure on");
  expect_usage_error(bench("--frobnicate"), "--frobnicate");
  expect_usage_error(bench("--resume " + scratch_.path + "/none"), "none");
  expect_usage_error(bench("--out /proc/none"), "/proc/none");
  expect_usage_error(run("assay", "check --suite " + suite_), "assay bench");
  std::ofstream(suite_) << "about = \"x\"\n[[bench]]\nlines = \"\"\n";
  expect_usage_error(bench(""), "some.toml:3: unknown key 'lines'");
}

TEST_F(Bench, HasAHelpPage) {
  const Ran ran = run("assay", "bench --help");
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.out, testing::StartsWith("assay bench"));
}

}  // namespace
}  // namespace assay

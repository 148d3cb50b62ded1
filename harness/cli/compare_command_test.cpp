// `assay compare` and `assay history` from the command line: a run, the same again, and one that got worse.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "harness/cli/test_usage_error.h"

namespace assay {
namespace {

using selftest::expect_usage_error;
using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::Scratch;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kSuite = R"toml(about = "two small cases"
select = ["transpose_2d/padded_tile"]
cases = 2
checked = 2
elements_max = 500
flops_max = 3000
threads_max = 2048
case_limit_s = 60
)toml";

// One run for all tests.
class CompareCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    run_ = std::make_unique<Scratch>();
    std::ofstream(run_->path + "/small.toml") << kSuite;
    const Ran ran =
        run("assay", "check --stats --suite " + run_->path + "/small.toml --no-save --jobs 1 --out " + base());
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
  }
  static void TearDownTestSuite() { run_.reset(); }
  static std::string base() { return run_->path + "/base"; }
  std::string worse() const { return scratch_.path + "/worse"; }

  // Another run, of kernels compiled anew, in which this text of the rows is that, wherever it is.
  void make_worse(const std::string& from, const std::string& to) const {
    make_other(from, to);
    make_other("\"code\":\"", "\"code\":\"0");
  }
  void make_other(const std::string& from, const std::string& to) const {
    std::filesystem::create_directories(worse());
    const bool is_new = std::filesystem::copy_file(base() + "/run.json", worse() + "/run.json",
                                                   std::filesystem::copy_options::skip_existing);
    std::string rows = read_text((is_new ? base() : worse()) + "/results.jsonl");
    size_t changes = 0;
    for (size_t at = rows.find(from); at != std::string::npos; at = rows.find(from, at + to.size()), ++changes)
      rows.replace(at, from.size(), to);
    ASSERT_GT(changes, 0u);
    std::ofstream(worse() + "/results.jsonl") << rows;
  }
  Ran compare(const std::string& words) const { return run("assay", "compare " + words); }

  Scratch scratch_;
  static inline std::unique_ptr<Scratch> run_;
};

TEST_F(CompareCommand, ARunIsTheSameAsItselfAndAsItsBaseline) {
  const Ran same = compare(base() + " " + base() + "/results.jsonl");
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_THAT(same.out, HasSubstr("\nSAME: "));
  const std::string baseline = scratch_.path + "/baseline/cpu.json";
  ASSERT_EQ(run("assay", "history baseline " + base() + " --out " + baseline).exit_code, 0);
  EXPECT_EQ(compare(baseline + " " + base()).exit_code, 0);
  make_other("\"verdict\":\"PASS\"", "\"verdict\":\"MISMATCH\"");
  expect_usage_error(run("assay", "history baseline " + worse() + " --out " + baseline), "6 of 6 cases failed",
                     "--with-failures");
  EXPECT_EQ(compare(baseline + " " + base()).exit_code, 0) << "the one that is there is kept";
  ASSERT_EQ(run("assay", "history baseline --with-failures " + worse() + " --out " + baseline).exit_code, 0);
  const Ran failing = compare(baseline + " " + worse());
  EXPECT_EQ(failing.exit_code, 3) << failing.out;
  EXPECT_THAT(failing.out, AllOf(HasSubstr("failing cases: 6 of 6 in BASE, 6 of 6 in NEW"),
                                 HasSubstr("INCONCLUSIVE: 6 fail in both")));
}

TEST_F(CompareCommand, WhatGotWorseFailsInEveryFormat) {
  make_worse("\"barriers\":", "\"barriers\":1");
  const std::string runs = base() + " " + worse();
  const Ran text = compare(runs), markdown = compare(runs + " --markdown"), github = compare(runs + " --format github"),
            as_json = compare(runs + " --json");
  for (const Ran* ran : {&text, &markdown, &github, &as_json}) EXPECT_EQ(ran->exit_code, 1) << ran->out << ran->err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("\ntranspose_2d/padded_tile passes "), HasSubstr(" × the barriers\n"),
                              HasSubstr("REGRESSED  transpose_2d/padded_tile  barriers  on"),
                              HasSubstr("to see the first again: ")));
  EXPECT_THAT(markdown.out, StartsWith("### Assay: REGRESSED: "));
  EXPECT_THAT(github.out, StartsWith("::error title=REGRESSED transpose_2d/padded_tile passes "));
  EXPECT_EQ(nlohmann::json::parse(as_json.out).at("outcome"), "REGRESSED");
  EXPECT_EQ(compare(worse() + " " + base()).exit_code, 0) << "the other way round it improved";
}

TEST_F(CompareCommand, RatiosOfTotalsFailNothing) {
  make_worse("\"active_lanes\":0.", "\"active_lanes\":0.0");
  make_other("\"write_sectors\":", "\"write_sectors\":0.0000");
  const Ran ran = compare(base() + " " + worse());
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("transpose_2d/padded_tile moves "), HasSubstr(" × the bytes\n  note: "),
                             HasSubstr("active_lanes 0."), HasSubstr("SAME: ")));
}

TEST_F(CompareCommand, GrowthMayBeAllowed) {
  make_worse("\"barriers\":", "\"barriers\":1");
  const std::string runs = base() + " " + worse() + " --max-growth ";
  EXPECT_EQ(compare(runs + "1%").exit_code, 1);
  EXPECT_EQ(compare(runs + "0.01").exit_code, 1);
  const Ran allowed = compare(runs + "1100%");
  EXPECT_EQ(allowed.exit_code, 0) << allowed.out << allowed.err;
  for (const char* bad : {"5", "1", "x", "%", "-1%", "5%%", "nan", "inf%", "'5 %'"}) {
    const Ran ran = compare(runs + bad);
    EXPECT_EQ(ran.exit_code, 2) << bad;
    EXPECT_THAT(ran.err, HasSubstr("is no growth: write a percentage, 5%, or a share below 1, 0.05")) << bad;
  }
}

TEST_F(CompareCommand, AnnotationsPointToTheSource) {
  const std::string source = scratch_.path + "/mine.cu";
  std::ofstream(source) << "\n__global__ void padded_tile() {}\n";
  make_other("\"barriers\":", "\"barriers\":1");
  make_other("\"code\":\"", "\"source\":\"" + source + "\",\"code\":\"0");
  EXPECT_THAT(
      compare(base() + " " + worse() + " --format github").out,
      AllOf(StartsWith("::error file="), HasSubstr("mine.cu,line=2,title=REGRESSED transpose_2d/padded_tile ")));
}

TEST_F(CompareCommand, ABaselineGatesTotalsToo) {
  const std::string baseline = scratch_.path + "/baseline/cpu.json";
  ASSERT_EQ(run("assay", "history baseline " + base() + " --out " + baseline).exit_code, 0);
  make_worse("\"barriers\":", "\"barriers\":1");
  EXPECT_EQ(compare(baseline + " " + worse()).exit_code, 1);
}

TEST_F(CompareCommand, KernelsThatWereNotCompiledAnewAreNeitherWorseNorBetter) {
  make_other("\"barriers\":", "\"barriers\":1");
  const Ran ran = compare(base() + " " + worse());
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("rows have the same machine code in both runs"));
}

TEST_F(CompareCommand, BadInputIsAUsageError) {
  expect_usage_error(compare(base() + " " + scratch_.path + "/none"), "there is no '",
                     "name a folder or results.jsonl");
  make_worse("\"dtype\"", "\"type\"");
  expect_usage_error(compare(base() + " " + worse()), "results.jsonl', line 1", "remove the line");
  EXPECT_EQ(compare(base()).exit_code, 2);
  EXPECT_EQ(compare(base() + " " + base() + " --min-effect -1").exit_code, 2);
}

TEST_F(CompareCommand, HistoryKeepsShowsAndExports) {
  const std::string db = " --db " + scratch_.path + "/h/history.db";
  const auto history = [&](const std::string& words) { return run("assay", "history " + words + db); };
  expect_usage_error(history("show"), "there is no history", "assay history add RUN");
  EXPECT_THAT(history("add " + base()).out, StartsWith("added to"));
  EXPECT_THAT(history("add " + base()).out, StartsWith("is there already"));
  EXPECT_THAT(history("show").out, HasSubstr("\n1 run\n"));
  const Ran trend = history("trend padded_tile --metric barriers --all");
  EXPECT_EQ(trend.exit_code, 0) << trend.err;
  EXPECT_THAT(trend.out, AllOf(HasSubstr("barriers_per_block"), HasSubstr("in 1 run\n"), HasSubstr("are level\n")));
  const Ran both = history("trend transpose_2d/padded_tile padded_tile --metric barriers --all");
  EXPECT_EQ(both.out, trend.out) << "each series once: " << both.err;
  EXPECT_THAT(history("export").out, AllOf(StartsWith("run,started,commit"), HasSubstr("barriers_per_block")));
  expect_usage_error(history("trend nothing"), "no series has 'nothing'", "assay history export");
  expect_usage_error(history("show more"), "'more' is one word too many", "assay history --help");
}

}  // namespace
}  // namespace assay

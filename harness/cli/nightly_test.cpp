// `assay nightly`: a run that is killed at any moment and goes on has the results of one that was not.
//
// ASSAY_KILLS=50 build/tests/cli --gtest_filter='Nightly.*' kills it fifty times.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/base/rng.h"
#include "harness/cli/test_usage_error.h"
#include "harness/selftest/as_found.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using selftest::Ran;
using selftest::read_text;
using selftest::run_command;
using selftest::Scratch;
using testing::HasSubstr;

constexpr const char* kSuite = R"toml(about = "a short night"
select = ["transpose_2d", "softmax_forward/tail_dropped"]
cases = 8
checked = 2
elements_max = 2000
flops_max = 20000
threads_max = 2048
case_limit_s = 60
)toml";
constexpr const char* kBench = R"toml(about = "one shape"
select = ["transpose_2d/*"]
[[bench]]
line = "transpose_2d/* f32 rows=64 cols=64 fill=normal seed=1"
from = "this test"
)toml";

class Nightly : public selftest::OneInFour<> {
 protected:
  Nightly() {
    std::ofstream(scratch_.path + "/suite.toml") << kSuite;
    std::ofstream(scratch_.path + "/measure.toml") << kBench;
  }
  std::string at(const std::string& name) const { return scratch_.path + "/" + name; }
  // A night in a folder of its own, where paths are the same for each.
  std::string command(const std::string& night) const {
    return "mkdir -p " + at(night) + " && cd " + at(night) +
           " && exec " ASSAY_BUILD_DIR "/assay_selftest nightly --seed 3 --suite " + at("suite.toml") +
           " --bench-suite " + at("measure.toml") + " --jobs 2 --out out --db history.db";
  }
  static Ran night(const std::string& command, const std::string& options = "") {
    return run_command("(" + command + " " + options + ")");
  }
  // All results of a night, except clocks.
  std::string results(const std::string& night) const {
    std::string all;
    for (const char* file : {"out/results.csv", "out/sweep/results.csv", "out/checked/results.csv",
                             "out/bench/results.csv", "out/regressions.patch"}) {
      EXPECT_TRUE(fs::exists(at(night) + "/" + file)) << night << ": " << file;
      all += file + ("\n" + read_text(at(night) + "/" + file));
    }
    // Every column but when the run began.
    return all + run_command("cd " + at(night) +
                             " && " ASSAY_BUILD_DIR "/assay_selftest history export --db history.db | cut -d, -f1,3-")
                     .out;
  }
  Scratch scratch_;
};

TEST_F(Nightly, KilledAtAnyMomentItGoesOn) {
  const Ran whole = night(command("whole"));
  ASSERT_EQ(whole.exit_code, 1) << whole.out << whole.err;
  const std::string expected = results("whole");
  ASSERT_THAT(expected, HasSubstr("tail_dropped"));
  ASSERT_THAT(expected, HasSubstr("new file mode 100644"));

  const char* const wanted = std::getenv("ASSAY_KILLS");
  const int kills_wanted = wanted ? std::stoi(wanted) : 4;
  Rng rng(11);
  int killed = 0, nights = 0;
  while (killed < kills_wanted) {
    const std::string name = "night" + std::to_string(nights++);
    for (int tries = 0;; ++tries) {
      ASSERT_LT(tries, 100) << "it never ends";
      const double seconds = 0.02 + 0.01 * static_cast<double>(rng.next() % 200);
      const bool more = killed < kills_wanted && tries < 8;
      const Ran ran = more
                          ? run_command("timeout -s KILL " + std::to_string(seconds) + " sh -c '" + command(name) + "'")
                          : night(command(name));
      if (more && ran.exit_code == 137) {
        ++killed;
        continue;
      }
      ASSERT_EQ(ran.exit_code, 1) << ran.out << ran.err;
      break;
    }
    EXPECT_EQ(results(name), expected) << name << " after " << killed << " kills";
  }
  std::printf("killed %d times in %d nights\n", killed, nights);
}

TEST_F(Nightly, PlantsASampleOfMutants) {
  std::ofstream(at("suite.toml")) << "about = \"no failure\"\nselect = [\"transpose_2d/elementwise\"]\ncases = 2\n";
  const Ran ran = night(command("whole"), "--mutants 3");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, testing::ContainsRegex("nightly: mutants +Killed: [0-3] of [0-3] that are not known"));
  EXPECT_EQ(std::ranges::count(read_text(at("whole/out/mutants/mutants.jsonl")), '\n'), 3);
  EXPECT_THAT(night(command("none")).out, HasSubstr("nightly: mutants     none are asked for"));
}

// The sweep has half of the budget, and what a killed process used of it is gone. That process is made to look old.
TEST_F(Nightly, ATimeBoxHoldsAcrossAKill) {
  const std::string budgeted = command("n") + " transpose_2d/elementwise --cases 1000000 --budget 100s";
  // The night has a process group of its own, which is killed: other tests run nights at the same time.
  run_command("setsid sh -c '" + budgeted + "' & night=$!; until [ -s " + at("n/out/sweep/results.jsonl") +
              " ]; do sleep 0.02; done; kill -s KILL -- -$night; wait");
  const std::string rows = at("n/out/sweep/results.jsonl"), state = at("n/out/nightly.json");
  const auto count = [&] { return std::ranges::count(read_text(rows), '\n'); };
  const auto before = count();
  auto night_before = nlohmann::json::parse(read_text(state));
  auto& sweep = night_before.at("steps").at(0);
  ASSERT_EQ(sweep.at("state"), "running");
  sweep.at("begun_at") = sweep.at("begun_at").get<int64_t>() - 1000;
  std::ofstream(state) << night_before.dump();
  const Ran ran = night(budgeted);
  EXPECT_THAT(ran.out, HasSubstr("time ran out")) << ran.out << ran.err;
  EXPECT_GE(count(), before) << "rows were lost";
  EXPECT_LE(count(), before + 8) << "it had its whole share anew";
  EXPECT_THAT(read_text(at("n/out/sweep/run.json")), HasSubstr("out of time"));
  EXPECT_EQ(ran.exit_code, 3) << "as its page says";
  EXPECT_THAT(read_text(at("n/out/run.json")), HasSubstr("INCONCLUSIVE"));
}

// A team's own kernels and op: swept, saved for the files that they are from, and followed.
TEST_F(Nightly, TakesFilesAndGoesOnWithThem) {
  selftest::take_as_found("python_rms_norm.py", at("n/kernels"), false);
  selftest::take_as_found("plain_c_softmax.cu", at("n/kernels"), true);
  const std::string files = "kernels/plain_c_softmax.cu kernels/python_rms_norm.toml --cases 3";
  run_command("(" + command("n") + " " + files + ") & until [ -s " + at("n/out/sweep/results.jsonl") +
              " ]; do sleep 0.01; done; pkill -KILL -f -- '--db history[.]db .*python_rms'; wait");
  const Ran ran = night(command("n"), files);
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("nightly: going on in out"));
  EXPECT_THAT(ran.out, HasSubstr("nightly: checked     FAILED: "));
  EXPECT_THAT(read_text(at("n/out/regressions.patch")),
              HasSubstr("+++ b/kernels/assay_regressions/python_rms_norm.toml/rms_norm_forward."));
  const std::string page = read_text(at("n/out/results.csv"));
  EXPECT_THAT(page, HasSubstr("softmax_forward/"));
  const Ran trend = run_command(
      "cd " + at("n") + " && " ASSAY_BUILD_DIR "/assay history trend --db history.db --all kernels/plain_c_softmax.cu");
  EXPECT_EQ(trend.exit_code, 0) << trend.err;
  EXPECT_THAT(trend.out, HasSubstr("softmax_forward/softmax_forward1"));
  EXPECT_THAT(trend.out, testing::Not(HasSubstr("rms_norm")));
}

TEST_F(Nightly, TheNextNightIsComparedWithIt) {
  ASSERT_EQ(night(command("n"), "transpose_2d/elementwise").exit_code, 0);
  EXPECT_FALSE(fs::exists(at("n/out/regressions.patch")));
  const Ran again = night(command("n"), "transpose_2d/elementwise");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("--fresh runs it again"));
  EXPECT_FALSE(fs::exists(at("n/out-previous"))) << "the same cases once more show nothing";
  const Ran second = night(command("n"), "transpose_2d/elementwise --fresh");
  EXPECT_EQ(second.exit_code, 0) << second.out << second.err;
  EXPECT_TRUE(fs::exists(at("n/out-previous/report.html"))) << "what the first left";
  EXPECT_THAT(read_text(at("n/out/compare.md")), HasSubstr("SAME"));
  EXPECT_THAT(read_text(at("n/out/report.html")), HasSubstr("\"trends\":[{")) << "two runs make a trend";

  // The night before measured other code, which was better: this one got worse.
  const std::string rows = at("n/out/bench/results.jsonl");
  std::string text = read_text(rows);
  const std::string figure = "\"write_requests\":";
  const size_t found = text.rfind(figure);  // of the last row: its total comes after its lines
  ASSERT_NE(found, std::string::npos);
  text.replace(found + figure.size(), text.find_first_of(",}", found + figure.size()) - found - figure.size(), "1");
  const std::string code = "\"code\":\"";
  ASSERT_NE(text.rfind(code), std::string::npos);
  text.insert(text.rfind(code) + code.size(), "0");
  std::ofstream(rows) << text;
  const Ran worse = night(command("n"), "transpose_2d/elementwise --fresh");
  EXPECT_EQ(worse.exit_code, 1) << worse.out;
  EXPECT_THAT(worse.out, HasSubstr("compare     FAILED: bench: REGRESSED"));
  EXPECT_THAT(read_text(at("n/out/report.html")), HasSubstr("\"change\":\"REGRESSED\""));

  // A night of another commit that was killed is none to compare with.
  const std::string base = read_text(at("n/out-previous/bench/run.json"));
  std::ofstream(at("n/out/nightly.json")) << R"({"identity": "another", "steps": [], "ended": false})";
  EXPECT_EQ(night(command("n"), "transpose_2d/elementwise").exit_code, 1);
  EXPECT_EQ(read_text(at("n/out-previous/bench/run.json")), base);
}

}  // namespace
}  // namespace assay

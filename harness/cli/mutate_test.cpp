// `assay mutate`: what it kills, what it shows of the rest, and that it goes on where it stopped.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "harness/adapter/build/build.h"
#include "harness/cli/mutate_run.h"
#include "harness/cli/test_usage_error.h"

namespace assay {
namespace {

using selftest::expect_usage_error;
using selftest::Ran;
using selftest::read_text;
using selftest::run;
using selftest::Scratch;
using selftest::small_suite;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A softmax of a thread for each row, with its launcher. Its first comparison may have its edge or not.
constexpr const char* kSoftmaxToMutate = R"(
__global__ void softmax(float* out, const float* in, int N, int C) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  float largest = -INFINITY, sum = 0.0f;
  for (int j = 0; j < C; j++)
    if (in[i * C + j] > largest) largest = in[i * C + j];
  for (int j = 0; j < C; j++) sum += expf(in[i * C + j] - largest);
  for (int j = 0; j < C; j++) out[i * C + j] = expf(in[i * C + j] - largest) / sum;
}
void softmax_launch(float* out, const float* in, int N, int C, int block) {
  softmax<<<(N + block - 1) / block, block>>>(out, in, N, C);
}
)";

class MutateCommand : public selftest::OneInFour<> {
 protected:
  void SetUp() override {
    OneInFour::SetUp();
    if (IsSkipped()) return;
    if (!has_reader()) GTEST_SKIP() << "no assay_read: scripts/setup installs what it is built with";
    std::ofstream(scratch_.path + "/k.cu") << kSoftmaxToMutate;
  }

  Ran mutate(const std::string& options, const std::string& cases = "12") const {
    return run("assay", "mutate " + scratch_.path + "/k.cu --op softmax_forward" + small_suite(scratch_) + "--cases " +
                            cases + " --out " + scratch_.path + "/out " + options);
  }

  Scratch scratch_;
};

TEST_F(MutateCommand, KillsBugsAndShowsWhatNoCaseTells) {
  const Ran ran = mutate("--kinds edge,launch,atomic");
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("EQUAL BITS"), HasSubstr("\n-    if (in[i * C + j] > largest)"),
                             HasSubstr("\n+    if (in[i * C + j] >= largest)")));
  EXPECT_THAT(ran.out, HasSubstr("Killed: 2 of 3 that are not known to be equivalent, 66.7 %; 2 of 2, 100.0 %"));
  EXPECT_THAT(read_text(scratch_.path + "/out/survivors/001_edge.diff"), HasSubstr("(mutant: edge)"));
  EXPECT_THAT(read_text(scratch_.path + "/out/score.txt"), HasSubstr("launch           1       1"));
  EXPECT_EQ(mutate("--kinds edge,launch --equal-bits-pass").exit_code, 0);
}

TEST_F(MutateCommand, TellsSurvivorsFromEquivalents) {
  std::string text = kSoftmaxToMutate;
  text.replace(text.find("/ sum"), 5, "/ (sum + 1e-7f)");
  text.insert(text.find("  int i = "), "  int unused = 31;\n");
  std::ofstream(scratch_.path + "/k.cu") << text;
  const Ran ran = mutate("--kinds term,constant");
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out,
              testing::ContainsRegex("SURVIVED  .*k.cu:10 in softmax: term .softmax_forward/softmax_launch.: bits "
                                     "differ in [0-9]+ of 24 cases, by 0.[0-9]+ of the error budget at most\n"
                                     "  most in softmax_forward/softmax_launch f32 "));
  EXPECT_THAT(ran.err, HasSubstr("k.cu:3 in softmax: constant: equal code: the compiler makes the same code of it"));
  EXPECT_THAT(ran.out, Not(HasSubstr("unused = 32")));
}

TEST_F(MutateCommand, GoesOnWhereItStopped) {
  const Ran first = mutate("--kinds launch");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("1/1 "));
  const Ran again = mutate("--kinds launch");
  EXPECT_EQ(again.out, first.out);
  EXPECT_THAT(again.err, Not(HasSubstr("1/1 ")));
  // Other cases are another suite to the mutant, and so is another text.
  EXPECT_THAT(mutate("--kinds launch", "13").err, HasSubstr("1/1 "));
  std::ofstream(scratch_.path + "/k.cu", std::ios::app) << "\n";
  EXPECT_THAT(mutate("--kinds launch").err, HasSubstr("1/1 "));
}

// Subjects named by numbers with so many mutants each, whose offsets are their numbers.
std::vector<Drawn> subjects_with(const std::vector<int>& counts) {
  std::vector<Drawn> all;
  for (const int count : counts) {
    Drawn& subject = all.emplace_back();
    subject.subject.id = std::to_string(all.size());
    for (int i = 0; i < count; ++i) subject.mutants.emplace_back().offset = i;
  }
  return all;
}

std::string text_of_draw(const std::vector<Drawn>& drawn) {
  std::string text;
  for (const Drawn& each : drawn)
    for (const KernelMutant& mutant : each.mutants) text += fmt::format("{}:{} ", each.subject.id, mutant.offset);
  return text;
}

TEST(Draw, TakesAsManyAsAreAskedForInTheOrderOfPlaces) {
  const auto all = subjects_with({2, 0, 3});
  EXPECT_EQ(text_of_draw(draw(all, 100, 1)), "1:0 1:1 3:0 3:1 3:2 ");
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto drawn = draw(all, 3, seed);
    EXPECT_EQ(text_of_draw(draw(all, 3, seed)), text_of_draw(drawn));
    EXPECT_EQ(std::ranges::count(text_of_draw(drawn), ' '), 3);
    seen.insert(text_of_draw(drawn));
  }
  EXPECT_EQ(seen.size(), 10u) << "of 5, 3 can be drawn in 10 ways";
}

TEST_F(MutateCommand, KillsABarrierThatIsLeftOut) {
  std::string text = kSoftmaxToMutate;
  text.replace(text.find("sum = 0.0f;"), 11, "sum = zero;");
  text.insert(text.find("  int i = "),
              "  __shared__ float zero;\n  if (threadIdx.x == 0) zero = 0;\n  __syncthreads();\n");
  std::ofstream(scratch_.path + "/k.cu") << text;
  const Ran ran = mutate("--kinds barrier");
  EXPECT_EQ(ran.exit_code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("Killed: 1 of 1 "));
}

TEST_F(MutateCommand, RefusesAKernelThatFails) {
  std::string text = kSoftmaxToMutate;
  text.replace(text.find("i >= N"), 6, "i >= N || i == 2");
  std::ofstream(scratch_.path + "/k.cu") << text;
  const Ran ran = mutate("");
  EXPECT_EQ(ran.exit_code, 2) << ran.out;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("does not pass its own suite"), HasSubstr("UNWRITTEN"),
                             HasSubstr("assay replay 'softmax_forward/")));
}

TEST_F(MutateCommand, RefusesWhatItCannotMutate) {
  expect_usage_error(mutate("--kinds barrier"), "there is nothing to mutate", "--kinds");
  expect_usage_error(mutate("--kinds edges"), "no kind of mutant 'edges'", "did you mean 'edge'?");
  expect_usage_error(run("assay", "mutate layer_forward/flash"), "made of other variants", "");
  expect_usage_error(run("assay", "mutate softmax_foward"), "softmax_foward", "softmax_forward");
  expect_usage_error(run("assay", "mutate --count 0"), "--count", "");
}

TEST(MutateCommandWithoutReader, SaysWhatToInstall) {
  const Ran ran =
      selftest::run_command("ASSAY_WITHOUT=assay_read " ASSAY_BUILD_DIR "/assay mutate softmax_forward/warp_per_row");
  expect_usage_error(ran, "without assay_read nothing is known of its kernels", "scripts/setup");
}

}  // namespace
}  // namespace assay

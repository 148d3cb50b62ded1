// `assay check --coverage`, from the command line: what the cases do not reach is printed with its line, in the
// console, in run.json and in the page's data.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "harness/adapter/build/build.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::read_text;
using selftest::run;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// No case has so many columns as the branch in line 7 asks for, and none of the suite's as many as that in line 9.
constexpr const char* kScales = R"(
__global__ void transpose(float* y, const float* x, int rows, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const int row = i / cols, col = i % cols;
  int to = col * rows + row;
  if (cols > 100000000)
    to = 0;
  if (cols == 5001)
    to = i;
  y[to] = x[i];
}
)";

class CoverageCommand : public testing::Test {
 protected:
  Ran check(const std::string& options, const std::string& text = kScales) const {
    std::ofstream(file_) << text;
    return run("assay",
               "check " + file_ + " --op transpose_2d --cases 12 --no-save --out " + scratch_.path + "/out " + options);
  }
  selftest::Scratch scratch_;
  std::string file_ = scratch_.path + "/mine.cu";
};

TEST_F(CoverageCommand, NamesTheLinesThatNoCaseReaches) {
  const Ran ran = check("--coverage");
  if (ran.err.find("by clang") != std::string::npos) GTEST_SKIP() << ran.err;
  EXPECT_EQ(ran.exit_code, has_reader() ? 1 : 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Coverage: 8 of 10 lines ran, 4 of 6 ways of branches were taken."),
                             HasSubstr("mine.cu:7   1 of 2 ways, in "), HasSubstr("passes: if (cols > 100000000)"),
                             HasSubstr("mine.cu:8   never ran: to = 0;"), Not(HasSubstr("mine.cu:11"))));
  const auto coverage = nlohmann::json::parse(read_text(scratch_.path + "/out/run.json")).at("coverage");
  ASSERT_EQ(coverage.at("uncovered").size(), 4u);
  EXPECT_EQ(coverage.at("uncovered")[1].at("line"), 8);
  EXPECT_THAT(read_text(scratch_.path + "/out/report.html"), HasSubstr("\"words\":\"never ran\""));
  const Ran again = run("assay", "report " + scratch_.path + "/out --html --out " + scratch_.path + "/again");
  EXPECT_EQ(again.exit_code, ran.exit_code) << again.err;
  EXPECT_EQ(read_text(scratch_.path + "/again/report.html"), read_text(scratch_.path + "/out/report.html"));
  EXPECT_THAT(check("").out, Not(HasSubstr("Coverage"))) << "nobody asked";
}

// The bug in line 10 is found by the case that reaches it.
TEST_F(CoverageCommand, AimsCasesAtTheseLines) {
  const Ran ran = check("--coverage");
  if (!has_reader()) GTEST_SKIP() << "no assay_read: scripts/setup installs what it is built with";
  if (ran.err.find("by clang") != std::string::npos) GTEST_SKIP() << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("decided by cols, 100000000; not reached by other values of rows, cols, "),
                             HasSubstr("to = i;\n    reached by transpose_2d/transpose f32 rows="),
                             HasSubstr("further cases were aimed at these lines: 2 were reached; a suite"),
                             HasSubstr("MISMATCH  transpose_2d/transpose f32 rows=2 cols=5001 ")));
  const Ran none = check("--coverage --aimed 0");
  EXPECT_EQ(none.exit_code, 0) << none.out << none.err;
  EXPECT_THAT(none.out, Not(HasSubstr("further")));
  EXPECT_THAT(check("--aimed 9").err, HasSubstr("--coverage")) << "it needs that";
}

TEST_F(CoverageCommand, SaysWhatItCannotCount) {
  EXPECT_THAT(run("assay", "check transpose_2d --coverage").err,
              AllOf(HasSubstr("counts lines of kernels in files"), HasSubstr("kernels/OP/NAME.cu")));
  EXPECT_THAT(check("--coverage --via ptx").err, HasSubstr("leave out --via ptx"));
  EXPECT_EQ(check("--coverage --checked").exit_code, 2);
  EXPECT_EQ(check("--coverage --device gpu").exit_code, 2);
}

}  // namespace
}  // namespace assay

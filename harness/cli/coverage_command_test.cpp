// `assay check --coverage`, from the command line: what the cases do not reach is printed with its line, in the
// console, in run.json and in the page's data.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::read_text;
using selftest::run;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// No case has so many columns as the branch in line 7 asks for; the rest of a row is reached by some cases only.
constexpr const char* kScales = R"(
__global__ void transpose(float* y, const float* x, int rows, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  const int row = i / cols, col = i % cols;
  int to = col * rows + row;
  if (cols > 100000000)
    to = 0;
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
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Coverage: 7 of 8 lines ran, 3 of 4 ways of branches were taken."),
                             HasSubstr("mine.cu:7  1 of 2 ways, in "), HasSubstr("passes: if (cols > 100000000)"),
                             HasSubstr("mine.cu:8  never ran: to = 0;"), Not(HasSubstr("mine.cu:9"))));
  const auto coverage = nlohmann::json::parse(read_text(scratch_.path + "/out/run.json")).at("coverage");
  ASSERT_EQ(coverage.at("uncovered").size(), 2u);
  EXPECT_EQ(coverage.at("uncovered")[1].at("line"), 8);
  EXPECT_THAT(read_text(scratch_.path + "/out/report.html"), HasSubstr("\"words\":\"never ran\""));
  const Ran again = run("assay", "report " + scratch_.path + "/out --html --out " + scratch_.path + "/again");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(read_text(scratch_.path + "/again/report.html"), read_text(scratch_.path + "/out/report.html"));
  EXPECT_THAT(check("").out, Not(HasSubstr("Coverage"))) << "nobody asked";
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

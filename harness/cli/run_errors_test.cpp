// `assay run` on programs that do not ask for the error of a call.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::HasSubstr;
using testing::Not;

TEST(RunErrors, OneThatNobodyAsksForIsToldAtTheEnd) {
  const selftest::Scratch scratch;
  const std::string program = scratch.path + "/program";
  std::ofstream(program + ".cpp") << "extern \"C\" int cudaSetDevice(int); extern \"C\" int cudaGetLastError();\n"
                                     "int main(int count, char**) {\n"
                                     "  cudaSetDevice(7);\n"
                                     "  if (count > 1) return cudaGetLastError() == 0;\n"
                                     "}\n";
  const Ran built =
      selftest::run_command("c++ -g -o " + program + " " + program + ".cpp " ASSAY_BUILD_DIR "/libassay_cuda.so");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const Ran silent = run("assay", "run " + program);
  EXPECT_EQ(silent.exit_code, 0) << "a remark is no finding";
  EXPECT_THAT(silent.err, HasSubstr("assay: cudaSetDevice at program.cpp:3 failed with cudaErrorInvalidDevice, and no "
                                    "cudaGetLastError followed"));
  const Ran asks = run("assay", "run " + program + " ask");
  EXPECT_EQ(asks.exit_code, 0) << asks.err;
  EXPECT_THAT(asks.err, Not(HasSubstr("cudaGetLastError")));
}

}  // namespace
}  // namespace assay

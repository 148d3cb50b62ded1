// `assay run --stats --out`, end to end: the table, the file, and the page as a browser shows it.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/report/test_browser.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// A kernel that reads columns, whose requests take 32 sectors each; one with a finding whose text is none of HTML's
// concern; a call that is not there.
constexpr const char* kCountedProgram = R"(#include <cstdio>
template <bool kBeyond>
__global__ void transpose(float* out, const float* in) {
  out[blockIdx.x * 32 + threadIdx.x] =
      in[threadIdx.x * 32 + blockIdx.x];
  if (kBeyond) out[1024] = 1;
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMemset(a, 0, 4096);
  for (int i = 0; i < 3; ++i) transpose<false><<<32, 32>>>(b, a);
  transpose<true><<<1, 32>>>(b, a);
  cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice, cudaFlushGPUDirectRDMAWritesToOwner);
  cudaFree(a);
  cudaFree(b);
}
)";

class RunReport : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc here";
    std::ofstream(scratch_.path + "/program.cu") << kCountedProgram;
    const Ran built = selftest::run_command(nvcc_here() + " -arch=sm_90 -lineinfo -o " + scratch_.path + "/program " +
                                            scratch_.path + "/program.cu");
    ASSERT_EQ(built.exit_code, 0) << built.err;
    ran_ = run("assay", "run --stats --out " + scratch_.path + "/out " + scratch_.path + "/program '<b>'");
    EXPECT_EQ(ran_.exit_code, 1) << ran_.err;
  }
  selftest::Scratch scratch_;
  Ran ran_;
};

TEST_F(RunReport, LinesAreCountedForEachKernel) {
  EXPECT_THAT(ran_.err,
              AllOf(HasSubstr("3 launches, 96 blocks"), HasSubstr("program.cu:5"), Not(HasSubstr("compulsory"))));
  const std::string csv = selftest::read_text(scratch_.path + "/out/statistics.csv");
  EXPECT_THAT(csv, HasSubstr("kernel,line,launches,bytes_read"));
  // 96 warps read 32 sectors of 32 bytes each in line 5, write 4 in line 4, and issue instructions for both.
  EXPECT_THAT(csv, ContainsRegex("\"transpose<false>\",\"program.cu:5\",3,98304,0,96,32,4,0,,0,0,[1-9]"));
  EXPECT_THAT(csv, ContainsRegex("\"transpose<false>\",\"program.cu:4\",3,0,12288,96,4,4,0,,0,0,[1-9]"));
  EXPECT_EQ(run("assay", "run --stats --tool none " + scratch_.path + "/program").exit_code, 2);
}

TEST_F(RunReport, ThePageShowsFindingsKernelsAndWhatWasSkipped) {
  Browser& browser = Browser::instance();
  if (browser.is_missing()) GTEST_SKIP() << "no Chromium here";
  const auto text = [&](const std::string& selector) {
    return browser.evaluate("[...document.querySelectorAll('" + selector +
                            "')].map((each) => each.innerText).join('|')");
  };
  browser.set_scripts(true);
  for (const int width : {1200, 390}) {
    browser.resize(width, 900);
    browser.open("file://" + scratch_.path + "/out/report.html");
    EXPECT_EQ(browser.console(), "");
    EXPECT_EQ(browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "true") << width;
  }
  EXPECT_EQ(text("#outcome"), "FAILED");
  EXPECT_THAT(text("#headline"), HasSubstr("1 OUT_OF_BOUNDS"));
  EXPECT_THAT(text("code"), HasSubstr("<b>")) << "an argument is text";
  EXPECT_THAT(text("#findings td"),
              AllOf(HasSubstr("OUT_OF_BOUNDS|"), HasSubstr("program.cu:6"), HasSubstr("launch 4")));
  EXPECT_THAT(text("#kernels td"), HasSubstr("void transpose<false>(float*, float const*)|3|"));
  EXPECT_THAT(text("#notes td"), HasSubstr("not supported: cudaDeviceFlushGPUDirectRDMAWrites, called 1 times"));
  EXPECT_THAT(text("section td"), HasSubstr("program.cu:5|98,304|0|32|4|"));
}

}  // namespace
}  // namespace assay

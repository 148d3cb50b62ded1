// Users' files with ASSAY_ENGINE=regions: split where the build can, as fibers and with a line that says so elsewhere,
// and with the same verdict in any case.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Engines : public testing::Test {
 protected:
  // `body` between the sum of a row's products and what is made of it.
  Ran check(const std::string& body, const std::string& environment, const std::string& options = "") {
    std::ofstream(scratch_.path + "/mine.cu") << R"(
__global__ void softmax_bwd(const float* dout, const float* out, float* din, int N, int C) {
  __shared__ float partial[1024];
  const int row = blockIdx.x;
  float sum = 0;
  for (int c = threadIdx.x; c < C; c += blockDim.x) sum += dout[row * C + c] * out[row * C + c];
  partial[threadIdx.x] = sum;
  __syncthreads();
)" + body + R"(
  float dot = 0;
  for (int i = 0; i < blockDim.x; ++i) dot += partial[i];
  for (int c = threadIdx.x; c < C; c += blockDim.x) din[row * C + c] = out[row * C + c] * (dout[row * C + c] - dot);
}
)";
    return selftest::run_command(environment + " " ASSAY_BUILD_DIR "/assay check " + scratch_.path +
                                 "/mine.cu --op softmax_backward --cases 4 --no-save --out " + scratch_.path +
                                 "/out " + options);
  }
  static bool can_split() {
    return selftest::read_text(ASSAY_BUILD_DIR "/kernel_build.json").find("assay_regions.so") != std::string::npos;
  }
  // The lines that a verdict is made of.
  static std::string verdict(const Ran& ran) {
    const size_t at = std::min(ran.out.find("RACE"), ran.out.find("MISMATCH"));
    return at == std::string::npos ? "" : ran.out.substr(at, ran.out.find("replay:", at) - at);
  }
  selftest::Scratch scratch_;
};

const std::string kRegions = "ASSAY_ENGINE=regions", kRace = "  partial[0] = threadIdx.x == 0 ? sum : partial[0];";

TEST_F(Engines, WithoutThePassFibersRunAndALineSaysSo) {
  const Ran ran = check("", kRegions + " ASSAY_WITHOUT=clang-19");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Runs as fibers: "));
}

TEST_F(Engines, SoundKernelsAreSplitAndProven) {
  if (!can_split()) GTEST_SKIP() << "no kernel is split without -DASSAY_REGIONS=ON";
  const std::string proofs = scratch_.path + "/proofs";
  const Ran ran = check("", kRegions + " ASSAY_SIEVE_REPORT=" + proofs, "--checked");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("fibers")));
  EXPECT_THAT(selftest::read_text(proofs), AllOf(HasSubstr("softmax_bwd: proven"), Not(HasSubstr("not proven"))));
}

TEST_F(Engines, RacesHaveOneVerdict) {
  if (!can_split()) GTEST_SKIP() << "no kernel is split without -DASSAY_REGIONS=ON";
  const Ran fibers = check(kRace, "", "--checked"), split = check(kRace, kRegions, "--checked");
  EXPECT_EQ(split.exit_code, 1) << split.out << split.err;
  EXPECT_THAT(verdict(split), HasSubstr("RACE"));
  EXPECT_EQ(verdict(split), verdict(fibers));
}

TEST_F(Engines, KernelsThatAreRefusedAreNamed) {
  if (!can_split()) GTEST_SKIP() << "no kernel is split without -DASSAY_REGIONS=ON";
  const Ran ran = check("  if (__activemask() == 0) return;", kRegions);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("softmax_bwd stays with fibers: __activemask."));
}

}  // namespace
}  // namespace assay

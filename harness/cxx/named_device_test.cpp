// The GPU that a program sees under `assay run --as`.
#include "harness/cxx/test_cxx_program.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class NamedDevice : public CxxProgram {};

constexpr const char* kAsks = R"(#include <cuda_runtime.h>
#include <cstdio>
__global__ void kernel() {
  extern __shared__ float shared[];
  shared[0] = 0;
}
int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  int blocks = 0, multiprocessors = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1024, 90 * 1024);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const bool takes = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024) == cudaSuccess;
  printf("%s: %d.%d, %d multiprocessors, %d blocks, %s 200 KB\n", device.name, device.major, device.minor, multiprocessors,
         blocks, takes ? "takes" : "refuses");
})";

TEST_F(NamedDevice, HasItsOwnLimits) {
  write("program.cu", kAsks);
  ASSERT_EQ(build("program.cu -o program").exit_code, 0);
  EXPECT_EQ(run(at("program")).out, "Assay SIMT executor: 9.0, 4 multiprocessors, 2 blocks, takes 200 KB\n");
  EXPECT_THAT(run("--as h100 " + at("program")).out, HasSubstr(": 9.0, 132 multiprocessors, 2 blocks, takes 200 KB"));
  EXPECT_THAT(
      run("--as a100 " + at("program")).out,
      testing::AllOf(StartsWith("A100 SXM"), HasSubstr(": 8.0, 108 multiprocessors, 1 blocks, refuses 200 KB")));
  const selftest::Ran unknown = run("--as gtx480 " + at("program"));
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("rtx4090")) << "those that are known are named";
}

}  // namespace
}  // namespace assay

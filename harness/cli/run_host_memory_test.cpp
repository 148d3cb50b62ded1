// `assay run` on programs whose kernels are given memory of the host: what they may access is silent, the rest is
// found.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::HasSubstr;

// The first word says which memory, the second whether device memory is allocated beside it.
constexpr const char* kHostMemoryProgram = R"(
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct Many {
  int values[64];
};
__global__ void add(int* x, Many many) { x[threadIdx.x] += many.values[threadIdx.x]; }
static int variable[64];
int main(int, char** words) {
  int stack[64] = {}, *memory = stack, *beside = 0;
  Many many;
  for (int i = 0; i < 64; ++i) many.values[i] = i;
  if (words[2][0] == 'y') cudaMalloc((void**)&beside, 64);
  if (!strcmp(words[1], "malloc")) memory = (int*)calloc(64, 4);
  if (!strcmp(words[1], "variable")) memory = variable;
  if (!strcmp(words[1], "managed")) cudaMallocManaged((void**)&memory, 256), memset(memory, 0, 256);
  if (!strcmp(words[1], "pinned")) cudaMallocHost((void**)&memory, 256), memset(memory, 0, 256);
  if (!strcmp(words[1], "registered")) cudaHostRegister(memory = (int*)calloc(64, 4), 256, 0);
  int* seen = memory;
  if (!strcmp(words[1], "registered") && cudaHostGetDevicePointer((void**)&seen, memory, 0) != cudaSuccess) return 3;
  add<<<1, 64>>>(seen, many);
  cudaDeviceSynchronize();
  printf("%d\n", memory[63]);
  if (!strcmp(words[1], "managed")) cudaFree(memory);
  if (!strcmp(words[1], "pinned")) cudaFreeHost(memory);
  if (!strcmp(words[1], "registered")) cudaHostUnregister(memory);
  if (beside != 0) cudaFree(beside);
}
)";

class RunHostMemory : public ::testing::Test {
 protected:
  std::string built(const std::string& compiler, const char* text = kHostMemoryProgram) const {
    const std::string program = scratch_.path + "/program";
    std::ofstream(program + ".cu") << text;
    const Ran ran = selftest::run_command(compiler + " -g -o " + program + " " + program + ".cu");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return program;
  }
  static void expect(const std::string& program, std::initializer_list<const char*> found) {
    for (const char* beside : {" no", " yes"}) {
      for (const char* memory : {"managed", "pinned", "registered"}) {
        const Ran ran = run("assay", "run " + program + " " + memory + beside);
        EXPECT_EQ(ran.exit_code, 0) << memory << beside << ran.err;
        EXPECT_EQ(ran.out, "63\n") << memory << beside;
      }
      for (const char* memory : found) {
        const Ran ran = run("assay", "run " + program + " " + memory + beside);
        EXPECT_EQ(ran.exit_code, 1) << memory << beside << ran.err;
        EXPECT_THAT(ran.err, HasSubstr("program.cu:9, which is memory of the host; ")) << memory << beside;
      }
    }
  }
  selftest::Scratch scratch_;
};

TEST_F(RunHostMemory, IsFoundWhereTheProgramIsByAssaysCompiler) {
  expect(built(ASSAY_BUILD_DIR "/assay c++"), {"stack", "malloc"});
}

TEST_F(RunHostMemory, IsFoundWhereTheProgramIsByNvcc) {
  if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc here";
  expect(built(nvcc_here() + " -arch=sm_90 -lineinfo"), {"stack", "malloc", "variable"});
}

constexpr const char* kWaitingKernel = R"(
#include <cuda_runtime.h>
__global__ void wait(int* flag) { while (atomicAdd(flag, 0) == 0) {} }
int main(int count, char**) {
  int* flag;
  if (count > 1) cudaMallocManaged((void**)&flag, 4); else cudaMalloc((void**)&flag, 4);
  cudaMemset(flag, 0, 4);
  wait<<<1, 32>>>(flag);
  if (count > 1) *(volatile int*)flag = 1;
  cudaDeviceSynchronize();
  cudaFree(flag);
}
)";

TEST_F(RunHostMemory, AKernelThatWaitsForTheHostIsNoDeadEnd) {
  const std::string program = built(ASSAY_BUILD_DIR "/assay c++", kWaitingKernel);
  EXPECT_THAT(run("assay", "run " + program).err, HasSubstr("TIMEOUT: kernel wait"));
  const Ran answered = run("assay", "run " + program + " managed");
  EXPECT_THAT(answered.err, HasSubstr("SKIPPED: kernel wait"));
  EXPECT_THAT(answered.err, HasSubstr("the program may when the launch has returned"));
}

}  // namespace
}  // namespace assay

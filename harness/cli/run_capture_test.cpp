// `assay run --capture` and `assay replay` of what it wrote, end to end, on a program by nvcc that is gone by then.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Kernels that a file must hold something else of each: a constant and a variable, a pointer to memory in memory and
// one to a variable, halves of words, bytes that nobody has written; then such that a replay must tell apart.
constexpr const char* kCapturedProgram = R"(#include <cstdio>
__constant__ float factor = 2;
__device__ int total;
__global__ void scale(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor, atomicAdd(&total, 1);
}
__global__ void through(float** table, short* shorts, int* where) {
  table[1][threadIdx.x] = table[0][threadIdx.x] + shorts[2 * threadIdx.x];
  if (threadIdx.x == 0) *where = 5;
}
__global__ void first_come(unsigned* out, unsigned* counter) { out[atomicAdd(counter, 1)] = threadIdx.x; }
__global__ void no_barrier(float* out, const float* in) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void beyond(float* out) { out[threadIdx.x + 1] = 1; }
__global__ void by_order(float* out, const float* in, int* first) {
  if (atomicAdd(first, 1) == 0) out[0] = in[threadIdx.x];
}
__global__ void timed(long long* at) { *at = clock64(); }
__global__ void parent(float** all) { all[0] = new float; delete all[0]; }
int main() {
  float *large, *a, *b, **table;
  unsigned* counts;
  short* shorts;
  int* where;
  cudaMalloc(&large, 64 << 20);
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 64 * sizeof(float));
  cudaMalloc(&counts, 65 * sizeof(unsigned));
  cudaMalloc(&shorts, 4096);
  cudaMalloc(&table, 2 * sizeof(float*));
  float host[1024];
  for (int i = 0; i < 1024; ++i) host[i] = static_cast<float>(i);
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(large, 0, 64 << 20);
  cudaMemset(shorts, 1, 4096);
  cudaMemset(counts, 0, 65 * sizeof(unsigned));
  scale<<<8, 128>>>(large + 1000, a, 1000);
  float* const both[] = {a, b};
  cudaMemcpy(table, both, sizeof both, cudaMemcpyHostToDevice);
  cudaGetSymbolAddress(reinterpret_cast<void**>(&where), total);
  through<<<1, 64>>>(table, shorts, where);
  first_come<<<1, 64>>>(counts + 1, counts);
  no_barrier<<<1, 64>>>(b, a);
  beyond<<<1, 64>>>(b);
  cudaMemset(counts, 0, sizeof(int));
  by_order<<<1, 64>>>(b, a, reinterpret_cast<int*>(counts));
  timed<<<1, 1>>>(reinterpret_cast<long long*>(shorts));
  parent<<<1, 1>>>(table);
  int counted = 0;
  cudaMemcpyFromSymbol(&counted, total, sizeof counted);
  printf("counted %d\n", counted);
  for (void* each : {(void*)large, (void*)a, (void*)b, (void*)counts, (void*)shorts, (void*)table}) cudaFree(each);
}
)";

class RunCapture : public selftest::OneInFour<> {
 protected:
  void SetUp() override {
    OneInFour::SetUp();
    if (IsSkipped()) return;
    if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc here";
    std::ofstream(scratch_.path + "/program.cu") << kCapturedProgram;
    const Ran built = selftest::run_command(nvcc_here() + " -arch=sm_90 -g -lineinfo -o " + program_ + " " +
                                            scratch_.path + "/program.cu");
    ASSERT_EQ(built.exit_code, 0) << built.err;
  }
  // The only file that the capture leaves.
  std::string captured(const std::string& kernel) const {
    const std::string folder = scratch_.path + "/" + kernel;
    const Ran ran = run("assay", "run --error-exitcode 0 --out " + folder + " --capture " + kernel + " " + program_);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("captured launch"), HasSubstr("program.cu:")));
    EXPECT_EQ(ran.out, "counted 5\n");
    std::string found;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".launch") found = entry.path();
    return found;
  }
  selftest::Scratch scratch_;
  std::string program_ = scratch_.path + "/program";
};

TEST_F(RunCapture, ALaunchReplaysWithoutTheProgramAndIsTheSame) {
  const std::string scale = captured("scale"), through = captured("through");
  std::filesystem::remove(program_);
  EXPECT_LT(std::filesystem::file_size(scale), 20'000u) << "of 64 MB it has what was accessed";
  for (const std::string& file : {scale, through}) {
    const Ran ran = run("assay", "replay --schedules 3 " + file);
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("nothing found, and the same output as in the program's run, under 3 schedules"));
  }
}

TEST_F(RunCapture, AReplayFindsWhatTheRunFoundWithItsLine) {
  const Ran race = run("assay", "replay " + captured("no_barrier"));
  EXPECT_EQ(race.exit_code, 1) << race.err;
  EXPECT_THAT(race.out, AllOf(HasSubstr("RACE"), HasSubstr("program.cu:16"), HasSubstr("launch 4: no_barrier")));
  const Ran stray = run("assay", "replay " + captured("beyond"));
  EXPECT_EQ(stray.exit_code, 1) << stray.err;
  EXPECT_THAT(stray.out, AllOf(HasSubstr("OUT_OF_BOUNDS"), HasSubstr("memory 3 of cudaMalloc"), HasSubstr("byte 256"),
                               HasSubstr("program.cu:18")));
}

TEST_F(RunCapture, OutputThatHangsOnTheScheduleIsNamed) {
  const std::string file = captured("first_come");
  EXPECT_EQ(run("assay", "replay " + file).exit_code, 0) << "under the schedule of the run";
  const Ran ran = run("assay", "replay --schedules 3 " + file);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("NONDETERMINISTIC: memory 4 of cudaMalloc"), HasSubstr("words differ"),
                             HasSubstr("[schedule 1]"), Not(HasSubstr("[schedule 0]"))));
}

TEST_F(RunCapture, AKernelThatLooksAtAClockMayDoOtherwise) {
  const Ran ran = run("assay", "replay --schedules 2 " + captured("timed"));
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("as may be, because the kernel can look at a clock: memory 5 of cudaMalloc"));
}

TEST_F(RunCapture, WhatTheFileDoesNotHoldIsNotJudged) {
  const Ran ran = run("assay", "replay --schedule 1 " + captured("by_order"));
  EXPECT_EQ(ran.exit_code, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("INCONCLUSIVE: it reads what the program's run did not"),
                             HasSubstr("memory 2 of cudaMalloc"), Not(HasSubstr("UNINITIALISED"))));
}

TEST_F(RunCapture, WhatCannotBeCapturedIsSaid) {
  const auto refused = [&](const std::string& options) {
    const Ran ran = run("assay", "run --error-exitcode 0 --out " + scratch_.path + "/out " + options + " " + program_);
    return ran.err + std::to_string(ran.exit_code);
  };
  EXPECT_THAT(refused("--capture parent"), HasSubstr("not captured: launch 8: parent(float**), grid 1, block 1"));
  EXPECT_THAT(refused("--capture parent"), HasSubstr("the device's heap"));
  EXPECT_THAT(refused("--capture scael"), AllOf(HasSubstr("no kernel's name has 'scael'; launched were"),
                                                HasSubstr("scale(float*, float const*, int)")));
  EXPECT_THAT(refused("--launch-count 0 --capture scale"), HasSubstr("1 launches of 'scale' ran unchecked"));
  EXPECT_THAT(refused("--tool none --capture scale"), HasSubstr("--capture needs the checks"));
  EXPECT_EQ(run("assay", "replay --schedules 2 'softmax_forward/warp_per_row f32'").exit_code, 2);
  EXPECT_EQ(run("assay", "check some.launch").exit_code, 2);
  EXPECT_THAT(run("assay", "replay --under gdb some.launch").err, HasSubstr("leave out what is for case lines"));
}

}  // namespace
}  // namespace assay

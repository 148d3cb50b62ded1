// `assay run` on the mistakes that NVIDIA shows compute-sanitizer's tools with, rewritten, each beside its twin.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using testing::AllOf;
using testing::HasSubstr;

// A mistake for each mode, and with "sound" its correction.
constexpr const char* kExamples = R"(#include <cstdio>
#include <string>
__shared__ int tile[128];
__device__ int word[4];
template <bool kSound>
__global__ void sum_of_block(const int* x, int* sum) {
  tile[threadIdx.x] = x[threadIdx.x];
  if (kSound) __syncthreads();
  if (threadIdx.x != 0) return;
  *sum = 0;
  for (int i = 0; i < 128; ++i) *sum += tile[i];
}
template <bool kSound>
__global__ void sum_of_warps(const int* x, int* sums) {
  tile[threadIdx.x] = x[threadIdx.x];
  if (kSound) __syncwarp();
  if (threadIdx.x % 32 != 0) return;
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += tile[threadIdx.x + i];
  sums[threadIdx.x / 32] = sum;
}
template <bool kSound>
__global__ void divergent(const int* x, int* sum, bool comes_back) {
  tile[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < 240 + 16 * kSound; i += 128) {
    tile[threadIdx.x] += x[i];
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = tile[0];
  if (comes_back) __syncthreads();
}
template <bool kSound>
__global__ void half_a_warp(int* sum) {
  const unsigned mask = __ballot_sync(~0u, threadIdx.x < 16);
  if (threadIdx.x < 16 + !kSound) {
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp(mask);
    if (threadIdx.x == 0) *sum = tile[15];
  }
}
__global__ void unaligned(int by) { *(int*)((char*)word + by) = 42; }
__global__ void wild(int* p) { *p = 42; }
__global__ void add(int* x) { x[threadIdx.x] += threadIdx.x; }

int main(int, char** words) {
  const std::string mode = words[1];
  const bool is_sound = std::string(words[2]) == "sound";
  int *x, *y;
  cudaMalloc(&x, 256 * sizeof(int));
  cudaMalloc(&y, 256 * sizeof(int));
  cudaMemset(x, 0, mode == "memset" && !is_sound ? 256 : 256 * sizeof(int));
  if (mode == "block") is_sound ? sum_of_block<true><<<1, 128>>>(x, y) : sum_of_block<false><<<1, 128>>>(x, y);
  if (mode == "warp") is_sound ? sum_of_warps<true><<<1, 64>>>(x, y) : sum_of_warps<false><<<1, 64>>>(x, y);
  const bool comes_back = mode == "divergent";
  if (mode == "divergent" || mode == "exited")
    is_sound ? divergent<true><<<1, 128>>>(x, y, comes_back) : divergent<false><<<1, 128>>>(x, y, comes_back);
  if (mode == "mask") is_sound ? half_a_warp<true><<<1, 32>>>(y) : half_a_warp<false><<<1, 32>>>(y);
  if (mode == "unaligned") unaligned<<<1, 1>>>(is_sound ? 4 : 1);
  if (mode == "wild") wild<<<1, 1>>>(is_sound ? x : (int*)0x87654320);
  if (mode == "memset") add<<<1, 256>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
  if (mode != "leak" || is_sound) cudaFree(y);
}
)";

TEST(RunSanitizerExamples, AreFoundAndTheirTwinsAreSilent) {
  const selftest::Scratch scratch;
  std::ofstream(scratch.path + "/e.cu") << kExamples;
  const Ran built =
      selftest::run_command(ASSAY_BUILD_DIR "/assay c++ -g -o " + scratch.path + "/e " + scratch.path + "/e.cu");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  const auto found = [&](const std::string& tool, const std::string& mode) {
    const std::string command = "run --tool " + tool + " " + scratch.path + "/e " + mode;
    EXPECT_THAT(selftest::run("assay", command + " sound").err, HasSubstr("no findings")) << mode;
    return selftest::run("assay", command + " broken").err;
  };
  EXPECT_THAT(found("racecheck", "block"), AllOf(HasSubstr("RACE: kernel sum_of_block"), HasSubstr("e.cu:11")));
  EXPECT_THAT(found("racecheck", "warp"), AllOf(HasSubstr("RACE: kernel sum_of_warps"), HasSubstr("e.cu:19")));
  EXPECT_THAT(found("synccheck", "divergent"),
              AllOf(HasSubstr("BARRIER: kernel divergent"),
                    HasSubstr("line 27 while thread (112,0,0) waits at the one in line 30")));
  EXPECT_THAT(found("synccheck", "exited"), HasSubstr("has returned without coming here"));
  EXPECT_THAT(found("all", "exited"), HasSubstr("no findings")) << "a GPU waits for the others";
  EXPECT_THAT(found("synccheck", "mask"), HasSubstr("does not name its own lane 16"));
  EXPECT_THAT(found("memcheck", "unaligned"), HasSubstr("MISALIGNED: kernel unaligned"));
  EXPECT_THAT(found("memcheck", "wild"), AllOf(HasSubstr("OUT_OF_BOUNDS: kernel wild"), HasSubstr("e.cu:42")));
  EXPECT_THAT(found("memcheck", "leak"), HasSubstr("LEAK: memory 2 of cudaMalloc"));
  EXPECT_THAT(found("initcheck", "memset"), HasSubstr("byte 256: read by thread (64,0,0)"));
}

}  // namespace
}  // namespace assay

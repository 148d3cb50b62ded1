// Inline PTX of programs that `assay c++` builds, and arithmetic of doubles in all roundings, which is PTX's.
#include "harness/cxx/inline_ptx.h"

#include "harness/cxx/test_cxx_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

class CxxInlinePtx : public CxxProgram {};

constexpr const char* kStatements = R"(#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cstdint>
#include <cstdio>
__device__ int wrong;
#define EXPECT(...) do { if (!(__VA_ARGS__)) { printf("thread %d: line %d\n", (int)threadIdx.x, __LINE__); atomicAdd(&wrong, 1); } } while (0)
template <class T>
__device__ T loaded(const T* from) {
  T value;
  if constexpr (sizeof(T) == 8)
    asm volatile("ld.global.b64 %0, [%1];" : "=d"(value) : "l"(from) : "memory");
  else
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__global__ void k(float* floats, double* doubles, int n) {
  __shared__ int shared[64];
  unsigned lane, first;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  EXPECT(lane == threadIdx.x % 32);
  asm("bfind.u32 %0, %1;" : "=r"(first) : "r"(40u + (threadIdx.x & 0)));
  EXPECT(first == 5);
  int sum = 5;
  asm("{\n\t"
      ".reg .pred p; // a comment\n\t"
      "setp.gt.s32 p, %1, %2;\n\t"
      "@p add.s32 %0, %0, %1;\n\t"
      "}" : "+r"(sum) : "r"(threadIdx.x), "n"(7));
  EXPECT(sum == (threadIdx.x > 7 ? 5 + (int)threadIdx.x : 5));
  float product;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(product) : "f"(2.0f), "f"(floats[3]), "f"(1.0f));
  EXPECT(product == 7);
  EXPECT(loaded(doubles + 1) == 1 && loaded(reinterpret_cast<unsigned*>(doubles) + 3) == 0x3ff00000u);
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&shared[threadIdx.x]));
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(threadIdx.x * 2) : "memory");
  asm volatile(BARRIER ::: "memory");
  EXPECT(shared[63 - threadIdx.x] == 2 * (63 - (int)threadIdx.x));
  __half2 halves = __floats2half2_rn(1, 2);
  asm("add.f16x2 %0, %1, %1;" : "=r"(halves) : "r"(halves));
  EXPECT(__low2float(halves) == 2 && __high2float(halves) == 4);
  unsigned long long wide;
  unsigned block_size; asm("mov.u32 %0, %%ntid.x;" : "=r"(block_size)); EXPECT(block_size == 64);
  asm("mad.wide.u32 %0, %1, %1, 3;" : "=l"(wide) : "r"(70000)); EXPECT(wide == 4900000003ull);
}
inline __device__ void unused() { asm("wgmma.fence.sync.aligned;"); }

int main() {
  float* floats;
  double* doubles;
  cudaMallocManaged(&floats, 64);
  cudaMallocManaged(&doubles, 64);
  for (int i = 0; i < 8; ++i) floats[i] = i, doubles[i] = i;
  k<<<1, 64>>>(floats, doubles, 3);
  int result = 0;
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaMemcpyFromSymbol(&result, wrong, sizeof result);
  std::puts(result == 0 ? "right" : "wrong");
  cudaFree(floats);
  cudaFree(doubles);
}
)";

TEST_F(CxxInlinePtx, IsWhatItsInstructionsAre) { expect_right(kStatements, "'-DBARRIER=\"bar.sync 0;\"'"); }

TEST_F(CxxInlinePtx, WhatItForgetsIsFoundAtItsLine) {
  write("ptx.cu", kStatements);
  ASSERT_EQ(build("'-DBARRIER=\"\"' ptx.cu -o ptx").exit_code, 0);
  const selftest::Ran ran = run(at("ptx"));
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, HasSubstr("ptx.cu:37"));
}

TEST(CxxInlinePtxText, RefusesWhatItDoesNotUnderstandWithTheReason) {
  bool is_understood = true;
  const cxx::PtxStatement named{"mov.u32 %[x], 1;", {{"=r", "x"}}, {}};
  EXPECT_THAT(cxx::inline_ptx_function(named, 0, "a.cu", 3, is_understood), HasSubstr("operands by name"));
  EXPECT_FALSE(is_understood);
  const cxx::PtxStatement constant{"mov.u32 %0, %1;", {{"=r", "x"}}, {{"n", "size"}}};
  EXPECT_THAT(cxx::inline_ptx_function(constant, 0, "a.cu", 3, is_understood), HasSubstr("the constant size"));
  const cxx::PtxStatement unknown{"wgmma.fence.sync.aligned;", {}, {}};
  EXPECT_THAT(cxx::inline_ptx_function(unknown, 0, "a.cu", 3, is_understood), HasSubstr("a.cu:3"));
  EXPECT_EQ(cxx::unquoted("\"a\\n\\\"b\""), "a\n\"b");
}

TEST_F(CxxInlinePtx, DoublesInAllRoundings) {
  expect_right(R"(#include <cuda_runtime.h>
#include <cstdio>
__global__ void k(double* x, double one, double three) {
  x[0] = __ddiv_rd(one, three), x[1] = __ddiv_ru(one, three), x[2] = __dadd_ru(one, 1e-30);
  x[3] = __dadd_rz(one, 1e-30), x[4] = __dsqrt_ru(three), x[5] = __dmul_rd(x[0], three), x[6] = __fma_rz(-1, one, 1e-30);
}
int main() {
  double* x;
  cudaMallocManaged(&x, 64);
  k<<<1, 1>>>(x, 1, 3);
  cudaDeviceSynchronize();
  const bool right = x[0] < x[1] && x[1] - x[0] < 6e-17 && x[2] > 1 && x[3] == 1 && x[4] * x[4] > 3 && x[5] < 1 &&
                     x[6] > -1;
  std::puts(right ? "right" : "wrong");
  cudaFree(x);
}
)");
}

}  // namespace
}  // namespace assay

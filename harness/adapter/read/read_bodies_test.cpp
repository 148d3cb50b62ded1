// A kernel's body with that of the function it hands its work to, and what all of it does.
#include <gmock/gmock.h>

#include "harness/adapter/read/test_read_by_clang.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(ReadByClang, SumsOfFloatsInAnyOrderWhereverTheyAre) {
  const CudaSource source = read(
      "template <class T> __device__ void add(T* to, T value) { atomicAdd(to, value); }\n"
      "__global__ void inside(const float* x) { __shared__ float sum; add(&sum, x[threadIdx.x]); }\n"
      "__global__ void counts(const int* x, int* y) { add(y, x[threadIdx.x]); }\n"
      "void host(const float* x) { inside<<<1, 32>>>(x); }\n");
  EXPECT_TRUE(kernel(source, "inside").sums_in_any_order);
  EXPECT_FALSE(kernel(source, "counts").sums_in_any_order);
  EXPECT_TRUE(source.functions.at(0).sums_in_any_order) << "of what it launches";
}

TEST_F(ReadByClang, AKernelHasTheBodyThatItHandsItsWorkTo) {
  const CudaSource source = read(
      "template <class T> __device__ void work(T* y, int x) { y[blockIdx.x] = x; }\n"
      "template <class T> __global__ void k(T* y, int m) { work(y, m); }\n"
      "template <class T> __global__ void other(T* y, int m) { work(y, m + 1); }\n");
  EXPECT_THAT(kernel(source, "k").body, HasSubstr("y[blockIdx.x] = m;"));
  EXPECT_THAT(kernel(source, "other").body, Not(HasSubstr("blockIdx"))) << "m + 1 is no name";
}

TEST_F(ReadByClang, EachOfSeveralKernelsOfAMacroHasItsOwnBody) {
  const CudaSource source = read(
      "#define TWO(T) __global__ void add_##T(T* y, int n) { if (n) { y[0] += 1; } } \\\n"
      "  __global__ void sub_##T(T* y, int n) { y[0] -= 1; }\nTWO(float)\n");
  EXPECT_THAT(kernel(source, "add_float").body, AllOf(HasSubstr("+="), Not(HasSubstr("-="))));
  EXPECT_THAT(kernel(source, "sub_float").body, AllOf(HasSubstr("-="), Not(HasSubstr("+="))));
}

}  // namespace
}  // namespace assay

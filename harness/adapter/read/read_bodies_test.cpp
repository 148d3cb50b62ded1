// A kernel's body with that of the function it hands its work to, and what all of it does.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "harness/adapter/read/test_read_by_clang.h"

namespace assay {
namespace {

using testing::IsEmpty;
using testing::Lt;
using testing::SizeIs;

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
      "template <class T> __device__ void work(T* y, int x) { y[blockIdx.x * x] = x; }\n"
      "template <class T> __global__ void k(T* y, int m) { work(y, m); }\n"
      "template <class T> __global__ void other(T* y, int m) { work(y, m + 1); }\n");
  ASSERT_THAT(kernel(source, "k").facts.accesses, SizeIs(1));
  EXPECT_EQ(text_of(kernel(source, "k").facts.accesses[0].index), "blockIdx.x*m");
  EXPECT_THAT(kernel(source, "other").facts.accesses, IsEmpty()) << "m + 1 is no name";
}

TEST_F(ReadByClang, EachOfSeveralKernelsOfAMacroHasItsOwnBody) {
  const CudaSource source = read(
      "#define TWO(T) __global__ void add_##T(T* y, int n) { if (n) { y[n] += 1; } } \\\n"
      "  __global__ void sub_##T(T* y, int n) { y[n + n] -= 1; }\nTWO(float)\n");
  EXPECT_EQ(text_of(kernel(source, "add_float").facts.accesses.at(0).index), "n");
  EXPECT_EQ(text_of(kernel(source, "sub_float").facts.accesses.at(0).index), "2*n");
}

TEST_F(ReadByClang, ValuesThatAreMadeOfTooManyOthersAreNames) {
  std::string body = "int a0 = n; ";
  for (int i = 1; i <= 40; ++i) body += fmt::format("int a{0} = a{1} * a{1} + a{1}; ", i, i - 1);
  const CudaSource source = read("__global__ void k(float* y, int n) { " + body + "int b = b + n; y[b] = y[a40]; }");
  const auto& accesses = kernel(source, "k").facts.accesses;
  ASSERT_THAT(accesses, SizeIs(2));
  EXPECT_EQ(text_of(accesses[0].index), "b+n") << "what is made of itself is no value";
  EXPECT_THAT(text_of(accesses[1].index).size(), Lt(2000));
}

// Through launches and calls, in templates that nothing instantiates, and by none of what only reads elements.
TEST_F(ReadByClang, PointersWhoseValuesAreAskedForAreTested) {
  const CudaSource source = read(R"(
__device__ float pick(const float* p, int i) { return p ? p[i] : 0; }
template <class T> __global__ void k(const T* a, const T* b, const T* c, const T* d, const T* e, T* y) {
  if (a) y[0] = *a;
  if (b != nullptr && !c) y[1] = b[1] + c[1];
  y[2] = d[2] + (e[1] != e[2]);
}
__global__ void f(const float* a, const float* b, float* y) { y[0] = pick(a, 1) + (b[0] > 0 ? b[1] : 0); }
void run(const float* a, const float* b, float* y) { f<<<1, 1>>>(a, b, y); })");
  const auto tested = [](const KernelSource& function) {
    std::string all;
    for (const auto& [pointer, use] : function.uses) all += use.tested ? pointer : "";
    return all;
  };
  EXPECT_EQ(tested(kernel(source, "k")), "abc");
  EXPECT_EQ(tested(kernel(source, "f")), "a");
  EXPECT_EQ(tested(source.functions.at(0)), "a");
}

TEST_F(ReadByClang, WhatAFunctionChangesByReferenceIsNotWhatItWas) {
  const auto block = [&](const std::string& before) {
    return read(
               "__global__ void k(float* x, int n);\nvoid choose(int n, int& threads);\nint known(int n, const int& "
               "t);\n"
               "void f(float* x, int n) { " +
               before + " k<<<1, threads>>>(x, n); }\n")
        .launches.at(0)
        .configuration.at(1);
  };
  EXPECT_EQ(block("int threads = 0; choose(n, threads);"), "threads");
  EXPECT_EQ(block("int threads = 0; threads = 64; choose(n, threads);"), "threads");
  EXPECT_EQ(block("int threads = 64; known(n, threads);"), "64");
}

}  // namespace
}  // namespace assay

// `assay c++` and `assay run`, end to end: sound programs, wrong twins, and what cannot be compiled. No nvcc is needed.
#include <gmock/gmock.h>

#include "harness/base/process.h"
#include "harness/cxx/test_cxx_program.h"

namespace assay {
namespace {

using selftest::Ran;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kAdd = R"(#include <cuda_runtime.h>
#include <cstdio>
// An object that is made before main, once, and by the host alone.
const struct Made {
  Made() { std::puts("made"); }
} made;
__global__ void add(const float* a, float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < LIMIT) b[i] += a[i];
}
int main() {
  const int n = 100;
  float *a, *b, sums[n];
  cudaMalloc(&a, sizeof sums);
  cudaMalloc(&b, sizeof sums);
  for (int i = 0; i < n; ++i) sums[i] = i;
  cudaMemcpy(a, sums, sizeof sums, cudaMemcpyHostToDevice);
  cudaMemcpy(b, sums, sizeof sums, cudaMemcpyHostToDevice);
  add<<<2, 64>>>(a, b, n);
  cudaMemcpy(sums, b, sizeof sums, cudaMemcpyDeviceToHost);
  cudaFree(a);
  cudaFree(b);
  std::printf("%g\n", sums[99]);
}
)";

TEST_F(CxxProgram, RunsUnderTheChecksAndByItself) {
  write("add.cu", kAdd);
  const Ran built = build("-O2 -DLIMIT=n -o add add.cu");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(built.out + built.err, "");
  const Ran ran = run(at("add"));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "made\n198\n");
  EXPECT_THAT(ran.err, HasSubstr("assay run: no findings"));
  const Ran bare = selftest::run_command(at("add"));
  EXPECT_EQ(bare.out, "made\n198\n") << bare.err;
}

TEST_F(CxxProgram, CountsItsMemoryAndSaysWhyALaunchIsNoFile) {
  write("add.cu", kAdd);
  ASSERT_EQ(build("-DLIMIT=n -o add add.cu").exit_code, 0);
  const Ran counted = run("--stats " + at("add"));
  EXPECT_THAT(counted.out + counted.err, AllOf(HasSubstr("kernel add: 1 launch, 2 blocks"), HasSubstr("add.cu:9")));
  const Ran captured = run("--capture add --out " + at("out") + " " + at("add"));
  EXPECT_THAT(captured.out + captured.err, HasSubstr("as `assay c++` builds it, which a file cannot hold yet"));
}

TEST_F(CxxProgram, AStrayAccessIsFoundAtItsLine) {
  write("add.cu", kAdd);
  ASSERT_EQ(build("-DLIMIT=n+1 -o add add.cu").exit_code, 0);
  const Ran ran = run(at("add"));
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("OUT_OF_BOUNDS: kernel add block (1,0,0): memory 1 of cudaMalloc at add.cu:14"),
                             HasSubstr("thread (36,0,0) (add.cu:9)"), HasSubstr("grid 2, block 64 at add.cu:19")));
}

// Variables of every kind, templates, overloads, a lambda, pointers to kernels, dynamic shared memory, a stream.
constexpr const char* kLanguage = R"(#include <cuda_runtime.h>
#include <cstdio>
#define REQUIRE(condition) if (!(condition)) return std::printf("line %d\n", __LINE__), 1
__constant__ float factors[4];
static __device__ int counter;
__managed__ int both = 5;
namespace {
__device__ float table[3] = {1, 2, 3};
__global__ void hidden(float* out) { out[threadIdx.x] = table[threadIdx.x] * factors[threadIdx.x]; }
}  // namespace
template <class T, int N>
struct Array { T values[N]; };
template <class T, int N>
__global__ void fill(T* to, Array<T, N> from, T more = T(1)) { to[threadIdx.x] = from.values[threadIdx.x] + more; }
static __global__ void count(int) {
  __nv_atomic_fetch_add(&counter, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  if (blockIdx.x == 0 && threadIdx.x == 0) both += 1;
}
__global__ void __launch_bounds__(256) sum(const int* in, int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = in[threadIdx.x];
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    BARRIER;
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *out = tile[0];
}
template <class F>
__global__ void apply(F f, int* out) { out[threadIdx.x] = f(threadIdx.x); }
__global__ void set(int* to, int value) { *to = value; }
__global__ void set(int* to, float value) { *to = static_cast<int>(value) + 100; }
__global__ void child(int* to) { to[threadIdx.x] = threadIdx.x; }
__global__ void parent(int* to) { if (threadIdx.x == 0) child<<<1, 4>>>(to); }
int main() {
  const float host_factors[4] = {10, 20, 30, 40};
  cudaMemcpyToSymbol(factors, host_factors, sizeof factors);
  float* floats;
  int* ints;
  cudaMallocManaged(&floats, 64);
  cudaMallocManaged(&ints, 1024);
  hidden<<<1, 3>>>(floats);
  cudaDeviceSynchronize();
  REQUIRE(floats[2] == 90);
  fill<<<dim3(1), dim3(3)>>>(floats, Array<float, 3>{1, 2, 3});
  cudaDeviceSynchronize();
  REQUIRE(floats[2] == 4);
  count<<<2, 5>>>(0);
  int counted = 0;
  cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
  REQUIRE(counted == 10 && both == 6);
  for (int i = 0; i < 256; ++i) ints[i] = i;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  dim3 blockDim(256);
  sum<<<1, blockDim, 256 * sizeof(int), stream>>>(ints, ints);
  cudaStreamSynchronize(stream);
  REQUIRE(ints[0] == 255 * 128);
  const int three = 3;
  apply<<<1, 8>>>([=] __device__(int i) { return three * i + static_cast<int>(threadIdx.x + blockDim.x); }, ints);
  cudaDeviceSynchronize();
  REQUIRE(ints[7] == 21 + 7 + 256);  // by the variable of main, which the lambda has captured
  void (*const kernel)(int*, int) = set;
  kernel<<<1, 1>>>(ints, 42);
  set<<<1, 1>>>(ints + 1, 2.5f);
  parent<<<1, 32>>>(ints + 2);
  cudaDeviceSynchronize();
  REQUIRE(ints[0] == 42 && ints[1] == 102 && ints[5] == 3);
  cudaFree(floats);
  cudaFree(ints);
  cudaStreamDestroy(stream);
  std::puts("all is well");
}
)";

TEST_F(CxxProgram, TheLanguageOfKernels) {
  write("language.cu", kLanguage);
  const Ran built = build("-O2 --extended-lambda '-DBARRIER=__syncthreads()' -o language language.cu");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  for (const char* const tool : {"none", "all"}) {
    const Ran ran = run(std::string("--tool ") + tool + " " + at("language"));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.out, "all is well\n");
  }
}

TEST_F(CxxProgram, AMissingBarrierIsARace) {
  write("language.cu", kLanguage);
  ASSERT_EQ(build("-DBARRIER= -o language language.cu").exit_code, 0);
  const Ran ran = run(at("language"));
  EXPECT_EQ(ran.exit_code, 1) << ran.out;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("RACE: kernel sum"), HasSubstr("language.cu:24")));
}

// Launches that would do again what they have done are left out; those that only such a variable tells apart are not.
TEST_F(CxxProgram, AVariableThatTheHostDoesNotKnowIsPartOfWhatALaunchDoes) {
  write("turns.cu", R"(#include <cuda_runtime.h>
#include <cstdio>
static __device__ int turns;
__global__ void next(int* out, int rounds) {
  int x = out[1];
  for (int i = 0; i < rounds; ++i) x = x * 31 + (i ^ x >> 3);
  if (threadIdx.x == 0 && ++turns % 5 == 0) out[0] += 1;
  if (x == 123456789) out[0] = -1;
}
int main() {
  int* out;
  cudaMallocManaged(&out, 8);
  out[0] = 0;
  out[1] = 3;
  for (int i = 0; i < 10; ++i) next<<<1, 32>>>(out, 3000000);
  cudaDeviceSynchronize();
  std::printf("%d\n", out[0]);
  cudaFree(out);
}
)");
  ASSERT_EQ(build("turns.cu -o turns").exit_code, 0);
  EXPECT_EQ(run("--tool none " + at("turns")).out, "2\n");
}

TEST_F(CxxProgram, BlocksOfAGridWaitForEachOther) {
  write("grid.cu", R"(#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void reverse(int* x, int* y) {
  const cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < 3; ++round) {
    x[grid.thread_rank()] = static_cast<int>(grid.thread_rank()) + round;
    grid.sync();
    y[grid.thread_rank()] = x[grid.size() - 1 - grid.thread_rank()];
    grid.sync();
  }
}
int main() {
  int *x, *y;
  cudaMallocManaged(&x, 512);
  cudaMallocManaged(&y, 512);
  void* arguments[] = {&x, &y};
  for (const int blocks : {4, 2}) {
    cudaLaunchCooperativeKernel(reverse, blocks, 32, arguments);
    cudaDeviceSynchronize();
    std::printf("%d %d\n", y[0], y[blocks * 32 - 1]);
  }
  cudaFree(x);
  cudaFree(y);
}
)");
  ASSERT_EQ(build("grid.cu -o grid").exit_code, 0);
  const Ran ran = run(at("grid"));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "129 2\n65 2\n");
}

TEST_F(CxxProgram, FilesThatAreCompiledApart) {
  write("shared.h",
        "#pragma once\n__device__ int of_each_file;\ntemplate <class T> __global__ void twice(T* x) { *x *= 2; }\nvoid "
        "one(int* x);\n");
  write("one.cu",
        "#include <cuda_runtime.h>\n#include \"shared.h\"\nstatic __device__ int own = 1;\n"
        "static __global__ void add(int* x) { *x += own; }\n"
        "void one(int* x) { add<<<1, 1>>>(x); twice<<<1, 1>>>(x); }\n");
  write("main.cu",
        "#include <cuda_runtime.h>\n#include <cstdio>\n#include \"shared.h\"\nstatic __device__ int own = 10;\n"
        "static __global__ void add(int* x) { *x += own; }\n"
        "int main() {\n  int* x;\n  cudaMallocManaged(&x, 4);\n  *x = 0;\n  add<<<1, 1>>>(x);\n"
        "  twice<<<1, 1>>>(x);\n  one(x);\n  cudaDeviceSynchronize();\n  std::printf(\"%d\\n\", *x);\n"
        "  cudaFree(x);\n}\n");
  ASSERT_EQ(build("-c one.cu && ar rcs libone.a one.o").exit_code, 0);
  ASSERT_EQ(build("-c -o main.o main.cu").exit_code, 0);
  const Ran linked = build("main.o -L. -lone -o program");
  ASSERT_EQ(linked.exit_code, 0) << linked.err;
  const Ran ran = run(at("program"));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "42\n");
}

TEST_F(CxxProgram, DeviceCodeOfSeveralFilesIsLinked) {
  write("f.cu", "__device__ int offset = 5;\n__device__ int f(int x) { return x * 2 + offset; }\n");
  write("main.cu",
        "#include <cuda_runtime.h>\n#include <cstdio>\nextern __device__ int offset;\n"
        "extern __device__ int f(int x);\n"
        "__global__ void k(int* x) { *x = f(*x) + offset; }\n"
        "int main() {\n  int* x;\n  cudaMallocManaged(&x, 4);\n  *x = 16;\n  k<<<1, 1>>>(x);\n"
        "  cudaDeviceSynchronize();\n  std::printf(\"%d\\n\", *x);\n  cudaFree(x);\n}\n");
  ASSERT_EQ(build("-dc f.cu main.cu").exit_code, 0);
  ASSERT_EQ(build("-dlink f.o main.o -o link.o").exit_code, 0);
  ASSERT_EQ(build("f.o main.o link.o -o program").exit_code, 0);
  const Ran ran = run(at("program"));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "42\n");
}

TEST_F(CxxProgram, CMakeTakesItForACompilerOfCuda) {
  if (find_program("cmake").empty()) GTEST_SKIP() << "cmake is not here";
  write(
      "CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.20)\nproject(test LANGUAGES CXX CUDA)\nadd_library(kernels STATIC kernels.cu)\n"
      "set_target_properties(kernels PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\nadd_executable(program main.cpp)\n"
      "target_link_libraries(program kernels)\n");
  write(
      "kernels.cu",
      "__global__ void k(int* x) { *x += 1; }\nint launched() {\n  int* x;\n  cudaMallocManaged(&x, 4);\n  *x = 41;\n"
      "  k<<<1, 1>>>(x);\n  cudaDeviceSynchronize();\n  const int result = *x;\n  cudaFree(x);\n  return result;\n}\n");
  write("main.cpp", "#include <cstdio>\nint launched();\nint main() { std::printf(\"%d\\n\", launched()); }\n");
  const Ran configured = selftest::run_command("cmake -S " + scratch_.path + " -B " + at("build") +
                                               " -DCMAKE_CUDA_COMPILER=" ASSAY_BUILD_DIR "/assay-nvcc");
  ASSERT_EQ(configured.exit_code, 0) << configured.out << configured.err;
  const Ran built = selftest::run_command("cmake --build " + at("build"));
  ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  EXPECT_EQ(run(at("build/program")).out, "42\n");
}

TEST_F(CxxProgram, ANormalFileOfCppMayCallTheRuntime) {
  write("count.cpp",
        "#include <cmath>\n#include <cassert>\n#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include <cstdio>\n"
        "int main(int words, char**) {\n  int n = 0;\n  cudaGetDeviceCount(&n);\n  std::printf(\"%d\\n\", n);\n"
        "  std::fflush(stdout);\n  assert (words == 1);\n}\n");
  const Ran built = build("-std=c++11 -Wall -Wextra count.cpp -o count");
  ASSERT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(run(at("count")).out, "1\n");
  EXPECT_THAT(run(at("count") + " more").err, HasSubstr("count.cpp:11")) << "the C library's";
}

TEST_F(CxxProgram, WhatCannotBeCompiledIsSaidWithItsLine) {
  write("wrong.cu", "#include <cuda_runtime.h>\n__global__ void k() {}\nint main() {\n  k<<<1, 2>>>(3);\n}\n");
  EXPECT_THAT(refusal("wrong.cu"),
              AllOf(HasSubstr("wrong.cu:4:"), HasSubstr("too many arguments"), Not(HasSubstr("nvcc"))));

  write("device.cu",
        "#include <cuda_runtime.h>\n__global__ void k() {\n#ifdef __CUDA_ARCH__\n  no_such_thing();\n#endif\n}\nint "
        "main() "
        "{}\n");
  EXPECT_THAT(refusal("device.cu"),
              AllOf(HasSubstr("device.cu:4:"), HasSubstr("no_such_thing"), HasSubstr("build with nvcc")));

  write("ptx.cu",
        "#include <cuda_runtime.h>\n__device__ int f() {\n  int x = 0;\n  asm(\"wgmma.fence.sync.aligned;\");\n  "
        "return x;\n}\n__global__ void k(int* x) { *x = f(); }\nint main() {}\n");
  EXPECT_THAT(refusal("ptx.cu"), AllOf(HasSubstr("ptx.cu:4:"), HasSubstr("inline PTX"), HasSubstr("build with nvcc")));

  write(
      "made.cu",
      "#include <cuda_runtime.h>\nint f();\nstruct Made {\n  Made() : n(f()) {}\n  int n;\n};\n__device__ Made made;\n"
      "__global__ void k(int* x) { *x = made.n; }\nint f() { return 3; }\nint main() { k<<<1, 1>>>(nullptr); }\n");
  EXPECT_THAT(refusal("made.cu"), HasSubstr("a constructor makes the device's variable made"));

  write("launch.cu", "#include <cuda_runtime.h>\n__global__ void k();\n\nvoid f() { k<<<1, 2>>>; }\n");
  const Ran ran = build("-c launch.cu");
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("launch.cu:4: a launch without"), HasSubstr("build the program with nvcc")));

  EXPECT_THAT(build("-ptx launch.cu").err, HasSubstr("-ptx: no machine code or PTX is made here"));
  EXPECT_THAT(build("-c none.cu").err, HasSubstr("there is no file none.cu"));
  EXPECT_THAT(build("").err, HasSubstr("which files?; assay c++ FILE.cu -o PROGRAM"));
  EXPECT_THAT(build("--help").out, HasSubstr("assay c++ [OPTIONS] FILES"));
}

}  // namespace
}  // namespace assay

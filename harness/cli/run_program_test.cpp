// `assay run`, end to end: a program with a fat binary made by hand, which needs no nvcc, and programs by nvcc.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/program/test_container.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::run;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// data[i] = data[i] + 1 for as many threads as are launched.
constexpr const char* kAddOne = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry add_one(.param .u64 data)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  add.u32 %r3, %r2, 1;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

// The same by kernels that each thread launches, as nvcc writes it: a buffer for the arguments, two stores, the launch.
constexpr const char* kLaunchesAddAt = R"(.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 buffer) __cudaCDP2GetParameterBufferV2
(.param .b64 kernel, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 error) __cudaCDP2LaunchDeviceV2 (.param .b64 buffer, .param .b64 stream);
.visible .entry add_at(.param .u32 index, .param .u64 data)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u32 %r1, [index];
  ld.param.u64 %rd1, [data];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  add.u32 %r3, %r2, 1;
  st.global.u32 [%rd3], %r3;
  ret;
}
.visible .entry add_one(.param .u64 data)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mov.u64 %rd2, add_at;
  {
  .param .b64 param0;
  st.param.b64 [param0+0], %rd2;
  .param .align 4 .b8 param1[12];
  st.param.b32 [param1+0], 1;
  st.param.b32 [param1+4], 1;
  st.param.b32 [param1+8], 1;
  .param .align 4 .b8 param2[12];
  st.param.b32 [param2+0], 1;
  st.param.b32 [param2+4], 1;
  st.param.b32 [param2+8], 1;
  .param .b32 param3;
  st.param.b32 [param3+0], 0;
  .param .b64 retval0;
  call.uni (retval0), __cudaCDP2GetParameterBufferV2, (param0, param1, param2, param3);
  ld.param.b64 %rd3, [retval0+0];
  }
  st.u32 [%rd3], %r1;
  st.u64 [%rd3+8], %rd1;
  {
  .param .b64 param0;
  st.param.b64 [param0+0], %rd3;
  .param .b64 param1;
  st.param.b64 [param1+0], 0;
  .param .b32 retval0;
  call.uni (retval0), __cudaCDP2LaunchDeviceV2, (param0, param1);
  ld.param.b32 %r2, [retval0+0];
  }
  setp.eq.u32 %p1, %r2, 0;
  @%p1 ret;
  trap;
}
)";

// Does what nvcc's code around kernels does; THREADS of them add to 32 numbers.
constexpr const char* kHost = R"(
#include <stddef.h>
#include <stdio.h>
extern "C" {
struct Extents { unsigned x, y, z; };
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
int cudaMalloc(void**, size_t);
int cudaFree(void*);
int cudaMemcpy(void*, const void*, size_t, int);
int cudaLaunchKernel(const void*, Extents, Extents, void**, size_t, void*);
int cudaGetLastError();
int cudaGraphicsUnmapResources(int, void**, void*);
}
alignas(8) static const unsigned char kFatBinary[] = {BYTES};
struct { int magic = 0x466243b1, version = 1; const void* data = kFatBinary; void* parts = 0; } wrapper;
static void add_one() {}
int main() {
  void** handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, (const char*)&add_one, 0, "add_one", -1, 0, 0, 0, 0, 0);
  __cudaRegisterFatBinaryEnd(handle);
  int numbers[32] = {};
  void* data = 0;
  cudaMalloc(&data, sizeof numbers);
  cudaMemcpy(data, numbers, sizeof numbers, 1);
  void* arguments[] = {&data};
  cudaLaunchKernel((const void*)&add_one, {1, 1, 1}, {THREADS, 1, 1}, arguments, 0, 0);
  cudaMemcpy(numbers, data, sizeof numbers, 2);
  cudaFree(data);
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += numbers[i];
  const int error = cudaGetLastError();
  printf("sum %d, error %d, unmapped %d\n", sum, error, cudaGraphicsUnmapResources(0, 0, 0));
  return 7;
}
)";

class RunProgram : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.path + "/" + name) << text;
  }
  // A program that launches so many threads; its path.
  std::string built(const std::string& threads, const testing_program::Image& image) const {
    std::string bytes;
    for (const char c : testing_program::container({image}))
      bytes += std::to_string(static_cast<unsigned char>(c)) + ",";
    std::string text = kHost;
    text.replace(text.find("BYTES"), 5, bytes);
    text.replace(text.find("THREADS"), 7, threads);
    write("host.cpp", text);
    const Ran compiled = selftest::run_command("c++ -o " + scratch_.path + "/program " + scratch_.path +
                                               "/host.cpp " ASSAY_BUILD_DIR "/libassay_cuda.so");
    EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
    return scratch_.path + "/program";
  }
  selftest::Scratch scratch_;
};

TEST_F(RunProgram, ASoundProgramIsAsItIsWithAGpu) {
  const Ran ran = run("assay", "run " + built("32", {.bytes = kAddOne}));
  EXPECT_EQ(ran.exit_code, 7) << "the program's own\n" << ran.err;
  EXPECT_EQ(ran.out, "sum 32, error 0, unmapped 801\n");
  EXPECT_THAT(ran.err, AllOf(HasSubstr("not supported: cudaGraphicsUnmapResources, called 1 time"),
                             HasSubstr("assay run: no findings; the program ended with exit code 7")));
}

TEST_F(RunProgram, AStrayAccessIsFoundAndTheProgramGoesOn) {
  const std::string program = built("33", testing_program::by_zstd(kAddOne));
  const Ran ran = run("assay", "run --out " + scratch_.path + "/out " + program);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("unmapped 801"));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("OUT_OF_BOUNDS"), HasSubstr("launch 1: add_one, grid 1, block 33"),
                             HasSubstr("the program ended with exit code 7")));
  EXPECT_THAT(selftest::read_text(scratch_.path + "/out/findings.jsonl"), HasSubstr("\"finding\":\"OUT_OF_BOUNDS\""));
  EXPECT_THAT(selftest::read_text(scratch_.path + "/out/junit.xml"),
              AllOf(HasSubstr("tests=\"3\" failures=\"3\""), HasSubstr("classname=\"OUT_OF_BOUNDS\""),
                    HasSubstr("ended with exit code 7")));
  EXPECT_EQ(run("assay", "run --error-exitcode=0 " + program).exit_code, 0);
  EXPECT_EQ(run("assay", "run --launch-count 0 --log-file " + scratch_.path + "/log " + program).exit_code, 7)
      << "no launch is checked";
}

TEST_F(RunProgram, KernelsThatKernelsLaunchRunWhenTheseAreDone) {
  const Ran sound = run("assay", "run " + built("32", {.bytes = kLaunchesAddAt}));
  EXPECT_EQ(sound.exit_code, 7) << sound.err;
  EXPECT_THAT(sound.out, HasSubstr("sum 32, error 0"));
  const Ran wild = run("assay", "run " + built("33", {.bytes = kLaunchesAddAt}));
  EXPECT_EQ(wild.exit_code, 1) << wild.err;
  EXPECT_THAT(wild.err,
              AllOf(HasSubstr("OUT_OF_BOUNDS: kernel add_at"),
                    HasSubstr("add_at, grid 1, block 1, launched by a kernel of launch 1: add_one, grid 1, block 33")));
}

TEST_F(RunProgram, AFaultOfAnUncheckedKernelIsFoundBeforeItEndsTheProgram) {
  std::string wild = kAddOne;
  wild.replace(wild.find("mul.wide.u32 %rd2, %r1, 4"), 25, "shl.b64 %rd2, %rd1, 20   ");
  const Ran ran = run("assay", "run --tool none " + built("1", {.bytes = wild}));
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("CRASH: Segmentation fault in kernel add_one block (0,0,0) thread (0,0,0)"),
                             HasSubstr("the program ended with exit code 139")));
}

TEST_F(RunProgram, WhatCannotRunIsSaid) {
  const Ran none = run("assay", "run " + scratch_.path + "/none");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no program"));
  EXPECT_EQ(run("assay", "run").exit_code, 2);
  EXPECT_EQ(run("assay", "run --tool nothing true").exit_code, 2);
  const Ran no_cuda = run("assay", "run true");
  EXPECT_EQ(no_cuda.exit_code, 1) << "nothing was checked";
  EXPECT_THAT(no_cuda.err, HasSubstr("the program called nothing of CUDA"));
  const Ran no_log = run("assay", "run --log-file " + scratch_.path + "/none/log true");
  EXPECT_EQ(no_log.exit_code, 2) << "findings would be lost";
  EXPECT_THAT(no_log.err, HasSubstr("name another file with --log-file"));
  EXPECT_EQ(run("assay", "run --out /proc/none true").exit_code, 2);
  const Ran no_ptx = run("assay", "run " + built("32", {.kind = 2, .bytes = "machine code"}));
  EXPECT_EQ(no_ptx.exit_code, 1);
  EXPECT_THAT(no_ptx.out, HasSubstr("error 209")) << "no kernel image";
  EXPECT_THAT(no_ptx.err, HasSubstr("the kernel was not run: the program has machine code for sm_90 and no PTX"));
}

// Mistakes of kernels and of host code, each of its own kind; SOUND corrects them all.
constexpr const char* kMistakes = R"(#include <cstdio>
__global__ void reduce(const float* x, float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = x[threadIdx.x];
  for (int s = 128; s > 0; s /= 2) {
#ifdef SOUND
    __syncthreads();
#endif
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
  }
  if (threadIdx.x == 0) *out = tile[0];
}
__global__ void copy(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }
__device__ int calls;
__constant__ int add;
__global__ void count() { atomicAdd(&calls, add); }
struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
__global__ void make(Shape** shapes) { shapes[threadIdx.x] = new Square(threadIdx.x); }
__managed__ float shared_by_both[4];
__global__ void measure(Shape** shapes) { shared_by_both[threadIdx.x] = shapes[threadIdx.x]->area(); }
__global__ void unmake(Shape** shapes) { delete shapes[threadIdx.x]; }
int main() {
#ifdef SOUND
  const int kThreads = 256, kExtra = 0;
#else
  const int kThreads = 2048, kExtra = 4;
#endif
  float *x, *y, *out, host[256] = {};
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  cudaMalloc(&out, 4);
#ifdef SOUND
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
#endif
  copy<<<1, 256>>>(x, y);
  cudaMemset(y, 0, sizeof host);
  reduce<<<1, 256>>>(y, out);
  copy<<<1, kThreads>>>(y, x);
  cudaMemcpy(host, y, sizeof host + kExtra, cudaMemcpyDeviceToHost);
  const int one = 1;
  cudaMemcpyToSymbol(add, &one, sizeof one);
  for (int i = 0; i < 3; ++i) count<<<1, 32>>>();
  int counted = 0;
  cudaMemcpyFromSymbol(&counted, calls, sizeof counted);
  Shape** shapes;
  cudaMalloc(&shapes, 4 * sizeof(Shape*));
  make<<<1, 4>>>(shapes);
  measure<<<1, 4>>>(shapes);
  unmake<<<1, 4>>>(shapes);
  cudaDeviceSynchronize();
  cudaFree(shapes);
  cudaFree(x);
  cudaFree(out);
#ifdef SOUND
  cudaFree(y);
#else
  cudaFree(x);
#endif
  printf("counted %d, %g\n", counted, shared_by_both[3]);
}
)";

TEST_F(RunProgram, MistakesInAProgramByNvccAreFoundAndItsTwinIsSilent) {
  if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc here";
  write("mistakes.cu", kMistakes);
  const auto built_by_nvcc = [&](const std::string& options) {
    const Ran ran = selftest::run_command(nvcc_here() + " -arch=sm_90 -lineinfo -o " + scratch_.path + "/program " +
                                          options + " " + scratch_.path + "/mistakes.cu");
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return "run --schedules 2 " + scratch_.path + "/program";
  };
  for (const std::string runtime : {"-cudart static", "-cudart shared", "-cudart static -rdc=true"}) {
    const Ran sound = run("assay", built_by_nvcc(runtime + " -DSOUND"));
    EXPECT_EQ(sound.exit_code, 0) << runtime << sound.out << sound.err;
    EXPECT_EQ(sound.out, "counted 96, 9\n");
    EXPECT_THAT(sound.err, HasSubstr("assay run: no findings"));
  }
  const Ran wrong = run("assay", built_by_nvcc(""));
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
  for (const char* each :
       {"UNINITIALISED: kernel copy", "mistakes.cu:9", "RACE: kernel reduce", "launch refused: block (2048,1,1)",
        "cudaMemcpy reads 1028 bytes from byte 0 of memory", "which is freed already", "1024 bytes are never freed"})
    EXPECT_THAT(wrong.err, HasSubstr(each));
  const Ran races = run("assay", "run --tool racecheck " + scratch_.path + "/program");
  EXPECT_THAT(races.err, AllOf(HasSubstr("RACE"), Not(HasSubstr("UNINITIALISED")), Not(HasSubstr("LEAK"))));
}

}  // namespace
}  // namespace assay

// `assay run` on a program whose work in streams and graphs lacks an order, and on its twin that has it.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using testing::AllOf;
using testing::HasSubstr;

// A mistake for each mode, and with "sound" its correction.
constexpr const char* kStreams = R"(#include <cstdio>
#include <string>
constexpr int kCount = 256, kHalf = kCount / 2;
__global__ void write(float* x, int begin) { x[begin + blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void read(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void write_bytes(unsigned char* x, int step, int begin) { x[begin + threadIdx.x * step] = 1; }
__global__ void write_often(volatile float* x) {
  for (int i = 0; i < 8000; ++i) x[threadIdx.x] = static_cast<float>(i);
}
__global__ void count(int* x) { atomicAdd(x, 1); }
__device__ float table[kCount];
__global__ void read_table(float* y) { y[threadIdx.x] = table[threadIdx.x]; }

int main(int, char** arguments) {
  const std::string mode = arguments[1];
  const bool is_sound = std::string(arguments[2]) == "sound";
  const auto is = [&](const char* name) { return mode == name; };
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, is("legacy") && is_sound ? 0 : cudaStreamNonBlocking);
  cudaEvent_t event;
  cudaEventCreate(&event);
  float *x, *y, *host;
  cudaMalloc(&x, kCount * sizeof(float));
  cudaMalloc(&y, kCount * sizeof(float));
  cudaMallocHost(&host, kCount * sizeof(float));
  cudaMemset(x, 0, kCount * sizeof(float));
  cudaDeviceSynchronize();
  if (is("streams")) {
    write<<<1, kCount, 0, a>>>(x, 0);
    if (is_sound) cudaEventRecord(event, a), cudaStreamWaitEvent(b, event, 0);
    read<<<1, kCount, 0, b>>>(x, y);
  } else if (is("legacy")) {
    write<<<1, kCount>>>(x, 0);
    read<<<1, kCount, 0, b>>>(x, y);
  } else if (is("copy")) {
    cudaMemcpyAsync(host, x, kCount * sizeof(float), cudaMemcpyDeviceToHost, a);
    if (is_sound) cudaStreamSynchronize(a);
    write<<<1, kCount, 0, b>>>(x, 0);
  } else if (is("halves")) {
    write<<<1, kHalf, 0, a>>>(x, 0);
    write<<<1, kHalf, 0, b>>>(x, is_sound ? kHalf : kHalf - 1);
  } else if (is("bytes")) {
    auto* const bytes = reinterpret_cast<unsigned char*>(x);
    write_bytes<<<1, kCount, 0, a>>>(bytes, 2, 0);
    write_bytes<<<1, kCount, 0, b>>>(bytes, 2, is_sound ? 1 : 2);
  } else if (is("early")) {
    if (!is_sound) cudaEventRecord(event, a);
    write<<<1, kCount, 0, a>>>(x, 0);
    if (is_sound) cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event, 0);
    read<<<1, kCount, 0, b>>>(x, y);
  } else if (is("graph")) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event, 0);
    write<<<1, kCount, 0, a>>>(x, 0);
    if (is_sound) cudaEventRecord(event, a), cudaStreamWaitEvent(b, event, 0);
    read<<<1, kCount, 0, b>>>(x, y);
    cudaEventRecord(event, b);
    cudaStreamWaitEvent(a, event, 0);
    cudaStreamEndCapture(a, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(exec, i == 1 ? b : a);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  } else if (is("node")) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t sets[2], copy;
    cudaGraphCreate(&graph, 0);
    cudaMemsetParams params = {};
    params.dst = x, params.elementSize = 1, params.width = kCount, params.height = 1;
    cudaGraphAddMemsetNode(&sets[0], graph, nullptr, 0, &params);
    params.dst = y;
    cudaGraphAddMemsetNode(&sets[1], graph, nullptr, 0, &params);
    cudaGraphAddMemcpyNode1D(&copy, graph, sets, is_sound ? 2 : 1, y, x, kCount, cudaMemcpyDeviceToDevice);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, a);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  } else if (is("free")) {
    float* z;
    cudaMallocAsync(&z, kCount * sizeof(float), a);
    write<<<1, kCount, 0, a>>>(z, 0);
    if (is_sound) cudaEventRecord(event, a), cudaStreamWaitEvent(b, event, 0);
    cudaFreeAsync(z, b);
  } else if (is("allocate")) {
    float* z;
    cudaMallocAsync(&z, kCount * sizeof(float), a);
    if (is_sound) cudaEventRecord(event, a), cudaStreamWaitEvent(b, event, 0);
    write<<<1, kCount, 0, b>>>(z, 0);
    cudaFreeAsync(z, b);
  } else if (is("host")) {
    const auto body = [](void*) {};
    if (is_sound) write<<<1, kCount, 0, a>>>(x, 0);
    cudaLaunchHostFunc(a, body, nullptr);
    if (!is_sound) write<<<1, kCount, 0, a>>>(x, 0);
    read<<<1, kCount, 0, b>>>(x, y);
  } else if (is("atomics")) {
    auto* const number = reinterpret_cast<int*>(x);
    count<<<1, 32, 0, a>>>(number);
    if (is_sound) count<<<1, 32, 0, b>>>(number);
    else write<<<1, 1, 0, b>>>(x, 0);
  } else if (is("variable")) {
    cudaMemcpyToSymbolAsync(table, host, sizeof table, 0, cudaMemcpyHostToDevice, a);
    if (is_sound) cudaStreamSynchronize(a);
    read_table<<<1, kCount, 0, b>>>(y);
  } else if (is("pinned")) {
    cudaMemcpyAsync(host, x, kCount * sizeof(float), cudaMemcpyDeviceToHost, a);
    if (is_sound) cudaStreamSynchronize(a);
    cudaMemcpy(y, host, kCount * sizeof(float), cudaMemcpyHostToDevice);
  } else if (is("source")) {
    cudaMemcpyAsync(x, host, kCount * sizeof(float), cudaMemcpyHostToDevice, a);
    if (is_sound) cudaStreamSynchronize(a);
    host[3] = 5;
  } else if (is("registered")) {
    static float own[kCount];
    cudaHostRegister(own, sizeof own, 0);
    cudaMemcpyAsync(x, own, sizeof own, cudaMemcpyHostToDevice, a);
    if (is_sound) cudaStreamSynchronize(a);
    own[3] = 5;
    cudaHostUnregister(own);
  } else if (is("pageable")) {
    float own[kCount] = {};
    cudaMemcpy(x, is_sound ? host : own, sizeof own, cudaMemcpyHostToDevice);
    read<<<1, kCount, 0, b>>>(x, y);
  } else if (is("repeated")) {
    for (int i = 0; i < 4; ++i) {
      write_often<<<1, kCount, 0, a>>>(x);
      if (is_sound || i < 3) cudaStreamSynchronize(a);
    }
    read<<<1, kCount, 0, b>>>(x, y);
  }
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  cudaFreeHost(host);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
)";

class RunStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    if (nvcc_here().empty()) GTEST_SKIP() << "no nvcc here";
    std::ofstream(scratch_.path + "/streams.cu") << kStreams;
    const Ran ran = selftest::run_command(nvcc_here() + " -arch=sm_90 -lineinfo -g -o " + scratch_.path + "/program " +
                                          scratch_.path + "/streams.cu");
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
  }
  // Returns the findings of a mode whose twin is silent.
  std::string found(const std::string& mode) const {
    const std::string command = "run " + scratch_.path + "/program " + mode;
    const Ran sound = selftest::run("assay", command + " sound");
    EXPECT_EQ(sound.exit_code, 0) << mode << sound.out << sound.err;
    EXPECT_EQ(sound.out, "no error\n") << mode;
    EXPECT_THAT(sound.err, HasSubstr("assay run: no findings")) << mode;
    const Ran broken = selftest::run("assay", command + " broken");
    EXPECT_EQ(broken.exit_code, 1) << mode << broken.out;
    EXPECT_EQ(broken.out, "no error\n") << mode;
    return broken.err;
  }
  selftest::Scratch scratch_;
};

TEST_F(RunStreams, WorkWithoutOrderIsFoundAndItsTwinIsSilent) {
  EXPECT_THAT(
      found("streams"),
      AllOf(HasSubstr("RACE: kernel read(float const*, float*) of launch 2 at streams.cu:"),
            HasSubstr("in stream 2 (non-blocking) reads bytes 0 to 1023 of memory 1 of cudaMalloc at streams.cu:"),
            HasSubstr("which kernel write(float*, int) of launch 1 at streams.cu:"),
            HasSubstr("in stream 1 (non-blocking) writes, and nothing orders the two: cudaStreamWaitEvent"),
            HasSubstr("assay run: 1 finding")));
  EXPECT_THAT(found("legacy"), HasSubstr("in the default stream writes"));
  EXPECT_THAT(found("copy"), AllOf(HasSubstr("which cudaMemcpyAsync at streams.cu:"), HasSubstr("reads, and nothing")));
  EXPECT_THAT(found("halves"), HasSubstr("writes bytes 508 to 511 of memory 1"));
  EXPECT_THAT(found("bytes"), HasSubstr("writes byte 2 and 254 more of memory 1"));
  EXPECT_THAT(found("early"), HasSubstr("RACE: kernel read"));
  EXPECT_THAT(found("graph"), AllOf(HasSubstr("of a graph in stream 1"), HasSubstr("an edge between the two nodes")));
  EXPECT_THAT(found("node"),
              AllOf(HasSubstr("writes bytes 0 to 255 of memory 2"), HasSubstr("which cudaGraphAddMemsetNode")));
  EXPECT_THAT(found("free"), HasSubstr("cudaFreeAsync at streams.cu:"));
  EXPECT_THAT(found("allocate"), HasSubstr("which cudaMallocAsync at streams.cu:"));
  EXPECT_THAT(found("host"), HasSubstr("RACE: kernel read"));
  EXPECT_THAT(found("atomics"), HasSubstr("changes by atomics"));
  EXPECT_THAT(found("variable"), HasSubstr("reads bytes 0 to 1023 of table, which cudaMemcpyToSymbolAsync"));
  EXPECT_THAT(found("pinned"), HasSubstr("RACE: cudaMemcpy at streams.cu:"));
  EXPECT_THAT(found("source"), HasSubstr("RACE: the host at streams.cu:118 writes byte 12 of memory 3"));
  EXPECT_THAT(found("registered"), HasSubstr("and the host changes them before it has waited for the copy"));
  EXPECT_THAT(found("pageable"), HasSubstr("from pageable memory may return before it has ended"));
  EXPECT_THAT(found("repeated"), AllOf(HasSubstr("launches were left out"), HasSubstr("RACE: kernel read")));
}

}  // namespace
}  // namespace assay

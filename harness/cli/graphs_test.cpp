// `assay run` on programs that nvcc has built and that use CUDA graphs.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::Scratch;
using testing::HasSubstr;

constexpr const char* kGraphKernels = R"(#include <cstdio>
__global__ void put(int* x, int value) { *x = value; }
__global__ void twice(int* x) { *x *= 2; }
__global__ void add(int* x, int n, int by) {
  if (threadIdx.x < n) x[threadIdx.x] += by;
}
void count(void* calls) { ++*static_cast<int*>(calls); }
void expect(int line, cudaError_t error, cudaError_t wanted) {
  if (error != wanted) std::printf("line %d: %s\n", line, cudaGetErrorName(error));
}
#define GIVES(call, wanted) expect(__LINE__, call, wanted)
#define OK(call) GIVES(call, cudaSuccess)
)";

// Builds and runs a main function with these kernels in front of it.
Ran run_with_kernels(const Scratch& scratch, const std::string& options, const std::string& text) {
  std::ofstream(scratch.path + "/graphs.cu") << kGraphKernels << text;
  const Ran built =
      selftest::run_command(fmt::format("'{1}' -lineinfo -o '{0}/graphs' '{0}/graphs.cu'", scratch.path, nvcc_here()));
  EXPECT_EQ(built.exit_code, 0) << built.err;
  return selftest::run("assay", "run " + options + " '" + scratch.path + "/graphs'");
}

TEST(Graphs, RecordWorkOfSeveralStreams) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const Scratch scratch;
  const Ran ran = run_with_kernels(scratch, "", R"(int main() {
  int values[8], calls = 0, *x;
  cudaStream_t one, other;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  OK(cudaMalloc(&x, sizeof values));
  OK(cudaStreamCreate(&one)), OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  OK(cudaEventCreate(&fork)), OK(cudaEventCreate(&join));
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(x, 0, sizeof values, one));
  OK(cudaEventRecord(fork, one)), OK(cudaStreamWaitEvent(other, fork, 0));
  for (int by = 1; by <= 3; ++by) add<<<1, 32, 0, other>>>(x, 8, by);
  OK(cudaLaunchHostFunc(one, count, &calls));
  OK(cudaEventRecord(join, other)), OK(cudaStreamWaitEvent(one, join, 0));
  OK(cudaMemcpyAsync(values, x, sizeof values, cudaMemcpyDeviceToHost, one));
  OK(cudaStreamEndCapture(one, &graph));
  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  std::printf("%zu nodes, %d calls\n", nodes, calls);
  OK(cudaGraphInstantiate(&runnable, graph, 0));
  OK(cudaGraphLaunch(runnable, one)), OK(cudaGraphLaunch(runnable, one)), OK(cudaStreamSynchronize(one));
  std::printf("%d, %d, %d calls\n", values[0], values[7], calls);
  OK(cudaFree(x));
}
)");
  EXPECT_EQ(ran.out, "6 nodes, 0 calls\n6, 6, 2 calls\n");
  EXPECT_THAT(ran.err, HasSubstr("no findings"));
}

TEST(Graphs, RefuseWhatMayNotBeCalledDuringCapture) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const Scratch scratch;
  const Ran ran = run_with_kernels(scratch, "", R"(int main() {
  int value, *x, *more;
  cudaStream_t one, other;
  cudaEvent_t event;
  cudaGraph_t graph;
  OK(cudaMalloc(&x, 4)), OK(cudaStreamCreate(&one)), OK(cudaStreamCreate(&other)), OK(cudaEventCreate(&event));
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  GIVES(cudaMalloc(&more, 4), cudaErrorStreamCaptureUnsupported);
  GIVES(cudaMemsetAsync(x, 0, 4, one), cudaErrorStreamCaptureInvalidated);
  GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
  GIVES(cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost), cudaErrorStreamCaptureImplicit);
  GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(event, one)), OK(cudaStreamWaitEvent(other, event, 0));
  put<<<1, 1, 0, other>>>(x, 1);
  GIVES(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureUnjoined);
  GIVES(cudaEventQuery(event), cudaErrorCapturedEvent);
  GIVES(cudaStreamEndCapture(one, &graph), cudaErrorIllegalState);
  OK(cudaFree(x));
}
)");
  EXPECT_EQ(ran.out, "");
}

// Under some schedules the second node runs first.
TEST(Graphs, AreRunInAnyOrderThatTheirEdgesAllow) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const Scratch scratch;
  const std::string text = R"(int main(int count, char**) {
  int value = 21, *x;
  cudaGraph_t graph;
  cudaGraphNode_t first, second;
  cudaGraphExec_t runnable;
  OK(cudaMalloc(&x, 4)), OK(cudaMemset(x, 0, 4)), OK(cudaGraphCreate(&graph, 0));
  void *of_put[] = {&x, &value}, *of_twice[] = {&x};
  cudaKernelNodeParams params{};
  params.gridDim = params.blockDim = dim3(1);
  params.func = reinterpret_cast<void*>(put), params.kernelParams = of_put;
  OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
  params.func = reinterpret_cast<void*>(twice), params.kernelParams = of_twice;
  OK(cudaGraphAddKernelNode(&second, graph, &first, EDGES, &params));
  OK(cudaGraphInstantiate(&runnable, graph, 0)), OK(cudaGraphLaunch(runnable, 0));
  OK(cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost)), OK(cudaFree(x));
  std::printf("%d\n", value);
}
)";
  EXPECT_THAT(run_with_kernels(scratch, "--schedules 4", "#define EDGES 0\n" + text).err,
              HasSubstr("NONDETERMINISTIC"));
  const Ran right = run_with_kernels(scratch, "--schedules 4", "#define EDGES 1\n" + text);
  EXPECT_EQ(right.out, "42\n");
  EXPECT_THAT(right.err, HasSubstr("no findings"));
}

// It has no values when it is allocated, and may not be used outside of its graph.
TEST(Graphs, HaveMemoryOfTheirOwn) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const Scratch scratch;
  const Ran ran = run_with_kernels(scratch, "", R"(int main() {
  int* x;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  OK(cudaStreamCreate(&stream)), OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&x, 32, stream));
  add<<<1, 32, 0, stream>>>(x, 8, 1);
  OK(cudaFreeAsync(x, stream)), OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&runnable, graph, 0)), OK(cudaGraphLaunch(runnable, stream));
  put<<<1, 1, 0, stream>>>(x, 1);
  OK(cudaStreamSynchronize(stream));
}
)");
  EXPECT_THAT(ran.err, HasSubstr("UNINITIALISED: kernel add"));
  EXPECT_THAT(ran.err, HasSubstr("OUT_OF_BOUNDS: kernel put"));
  EXPECT_THAT(ran.err, HasSubstr("(freed)"));
}

}  // namespace
}  // namespace assay

// `assay run` on graphs that decide while they run: conditional nodes, whose condition a kernel sets.
#include <gmock/gmock.h>

#include <fstream>

#include "harness/adapter/build/ptx_route/nvcc.h"
#include "harness/selftest/run_program.h"

namespace assay {
namespace {

using selftest::Ran;
using selftest::Scratch;
using testing::HasSubstr;

// A graph of a kernel and a conditional node behind it, whose bodies are kernels that add other numbers. `decide` sets
// the condition to *x.
constexpr const char* kConditionalKernels = R"(#include <cstdio>
__global__ void decide(int* x, cudaGraphConditionalHandle condition) { cudaGraphSetConditional(condition, *x); }
__global__ void add(int* x, int by) { *x += by; }
__global__ void count_down(int* x, cudaGraphConditionalHandle condition) {
  cudaGraphSetConditional(condition, --x[0]);
  ++x[1];
}
#define OK(call) if (const cudaError_t e = call; e != cudaSuccess) std::printf("%d: %s\n", __LINE__, cudaGetErrorName(e))
int *x, values[2];
cudaGraph_t graph;
cudaGraphConditionalHandle condition;
cudaGraphNode_t add_kernel(cudaGraph_t to, void* kernel, void** arguments, cudaGraphNode_t* after, int count) {
  cudaGraphNode_t node;
  cudaKernelNodeParams params{};
  params.func = kernel, params.gridDim = params.blockDim = dim3(1), params.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&node, to, after, count, &params));
  return node;
}
cudaGraph_t* add_conditional(cudaGraphConditionalNodeType type, unsigned bodies, cudaGraphNode_t* after, int count) {
  cudaGraphNode_t node;
  cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
  params.conditional.handle = condition, params.conditional.type = type, params.conditional.size = bodies;
  OK(cudaGraphAddNode(&node, graph, after, nullptr, count, &params));
  return params.conditional.phGraph_out;
}
void launch_with(int value) {
  static cudaGraphExec_t runnable = nullptr;
  if (runnable == nullptr) OK(cudaGraphInstantiate(&runnable, graph, 0));
  values[0] = value, values[1] = 0;
  OK(cudaMemcpy(x, values, 8, cudaMemcpyHostToDevice));
  OK(cudaGraphLaunch(runnable, 0));
  OK(cudaMemcpy(values, x, 8, cudaMemcpyDeviceToHost));
  std::printf("%d: %d, %d\n", value, values[0], values[1]);
}
void begin() { OK(cudaMalloc(&x, 8)); OK(cudaGraphCreate(&graph, 0)); }
void decide_between(cudaGraphConditionalNodeType type, int bodies) {
  begin();
  OK(cudaGraphConditionalHandleCreate(&condition, graph));
  void* of_decide[] = {&x, &condition};
  cudaGraphNode_t first = add_kernel(graph, (void*)decide, of_decide, nullptr, 0);
  cudaGraph_t* const made = add_conditional(type, bodies, &first, 1);
  for (int i = 0; i < bodies; ++i) {
    int by = 100 * (i + 1);
    void* of_add[] = {&x, &by};
    add_kernel(made[i], (void*)add, of_add, nullptr, 0);
  }
}
)";

Ran run_conditional(const std::string& main) {
  const Scratch scratch;
  std::ofstream(scratch.path + "/graphs.cu") << kConditionalKernels << "int main() {\n"
                                             << main << "\nOK(cudaFree(x));}";
  const Ran built = selftest::run_command(
      fmt::format("'{1}' -std=c++17 -lineinfo -rdc=true -o '{0}/graphs' '{0}/graphs.cu'", scratch.path, nvcc_here()));
  EXPECT_EQ(built.exit_code, 0) << built.err;
  return selftest::run("assay", "run '" + scratch.path + "/graphs'");
}

TEST(ConditionalGraphs, RunTheBodyThatTheConditionNames) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  for (const auto& [made, said] : {std::pair{"cudaGraphCondTypeIf, 1", "0: 0, 0\n1: 101, 0\n7: 107, 0\n"},
                                   {"cudaGraphCondTypeIf, 2", "0: 200, 0\n1: 101, 0\n7: 107, 0\n"},
                                   {"cudaGraphCondTypeSwitch, 3", "0: 100, 0\n1: 201, 0\n7: 7, 0\n"}}) {
    const Ran ran =
        run_conditional(fmt::format("decide_between({}); launch_with(0); launch_with(1); launch_with(7);", made));
    EXPECT_EQ(ran.out, said) << made;
    EXPECT_THAT(ran.err, HasSubstr("no findings"));
  }
}

// The condition is 1 at the beginning of each launch, though the one before has left 0. The body comes from a stream.
TEST(ConditionalGraphs, RepeatABodyWhileTheConditionHolds) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const Ran ran = run_conditional(R"(begin();
  OK(cudaGraphConditionalHandleCreate(&condition, graph, 1, cudaGraphCondAssignDefault));
  cudaGraph_t body = *add_conditional(cudaGraphCondTypeWhile, 1, nullptr, 0);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  count_down<<<1, 1, 0, stream>>>(x, condition);
  OK(cudaStreamEndCapture(stream, nullptr));
  launch_with(5); launch_with(1);)");
  EXPECT_EQ(ran.out, "5: 0, 5\n1: 0, 1\n");
  EXPECT_THAT(ran.err, HasSubstr("no findings"));
}

// Two nodes without an edge: what runs beside the body races with it.
TEST(ConditionalGraphs, RaceWithWhatNothingOrders) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const Ran ran = run_conditional(R"(decide_between(cudaGraphCondTypeIf, 1);
  int by = 5;
  void* of_add[] = {&x, &by};
  cudaGraphNode_t all[8];
  size_t count = 8;
  OK(cudaGraphGetNodes(graph, all, &count));
  add_kernel(graph, (void*)add, of_add, all, 1);
  launch_with(1);)");
  EXPECT_THAT(ran.err, HasSubstr("RACE"));
}

TEST(ConditionalGraphs, NeedAHandleAndAsManyBodiesAsTheirTypeHas) {
  if (nvcc_here().empty()) GTEST_SKIP() << no_nvcc().line();
  const Ran ran = run_conditional(R"(begin();
  condition = 77;
  add_conditional(cudaGraphCondTypeIf, 1, nullptr, 0);
  OK(cudaGraphConditionalHandleCreate(&condition, graph));
  add_conditional(cudaGraphCondTypeWhile, 2, nullptr, 0);
  add_conditional(cudaGraphCondTypeIf, 3, nullptr, 0);
  add_conditional(cudaGraphCondTypeSwitch, 0, nullptr, 0);
  decide<<<1, 1>>>(x, 77);
  OK(cudaDeviceSynchronize());)");
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 4) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("cudaErrorInvalidValue"));
  EXPECT_THAT(ran.err, HasSubstr("CRASH"));
}

}  // namespace
}  // namespace assay

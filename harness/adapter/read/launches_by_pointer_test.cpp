// Launches of kernels that a pointer or a call of the runtime names.
#include <gmock/gmock.h>

#include "harness/adapter/read/test_read_by_clang.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST_F(ReadByClang, AGridIsThatOfTheCaseThatChoosesTheKernel) {
  const CudaSource source = read(R"(
__global__ void one(float* x, int n);
__global__ void four(float* x, int n);
__global__ void some(float* x, int n);
void f(int which, int blocks, float* x, int n) {
  void (*kernel)(float*, int);
  switch (which) {
    case 0:
      kernel = one;
      blocks = (n + 255) / 256;
      break;
    case 1:
      blocks = (n / 4 + 255) / 256;
      kernel = four;
      break;
    default: kernel = some; break;
  }
  kernel<<<blocks, 256>>>(x, n);
})");
  std::map<std::string, std::string> grids;
  for (const LaunchSource& launch : source.launches) grids[launch.kernel] = launch.configuration.at(0);
  EXPECT_THAT(grids, UnorderedElementsAre(Pair("one", "(n + 255) / 256"), Pair("four", "(n / 4 + 255) / 256"),
                                          Pair("some", "blocks")));
}

TEST_F(ReadByClang, ALaunchThatIsNeverMadeIsNone) {
  const CudaSource source = read(
      "__global__ void k(float* x, int n);\nvoid f(float* x, int n) {\n"
      "  if (false) k<<<n / 4, 256>>>(x, n); else k<<<n, 256>>>(x, n);\n}\n");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_EQ(source.launches[0].configuration.at(0), "n");
}

TEST_F(ReadByClang, AConditionNamesWhatTheLaunchPasses) {
  const CudaSource source = read(R"(
#include <torch/extension.h>
__global__ void k(float* x, long n);
void f(at::Tensor x) {
  const auto count = x.numel();
  if ((uintptr_t)x.data_ptr() % 16 == 0 && count % 8 == 0) k<<<count / 8, 256>>>(x.data_ptr<float>(), count);
})");
  ASSERT_EQ(source.launches.size(), 1u);
  EXPECT_EQ(source.launches[0].arguments.at(1), "count");
  EXPECT_THAT(source.launches[0].conditions, ElementsAre(testing::HasSubstr("count % 8 == 0")));
}

TEST_F(ReadByClang, LaunchesByTheRuntimesCallsAreLaunches) {
  const CudaSource source = read(R"(
__global__ void a(float* x, int n, float scale) { x[n] = scale; }
__global__ void b(float* x, int n) { x[n] = 0; }
void run(float* x, int n) {
  cudaLaunchConfig_t config;
  config.gridDim = n;
  config.blockDim = 64;
  cudaLaunchKernelEx(&config, a, x, n, 1.0f / n);
  void* args[] = {&x, &n};
  cudaLaunchKernel((void*)b, dim3(n, 2), dim3(32), args, 0, nullptr);
})");
  ASSERT_EQ(source.launches.size(), 2u);
  EXPECT_THAT(source.launches[0].arguments, ElementsAre("x", "n", "1.0 / n"));
  EXPECT_THAT(source.launches[0].configuration, ElementsAre("n", "64"));
  EXPECT_THAT(source.launches[1].configuration, ElementsAre("dim3(n, 2)", "32", "0"));
}

}  // namespace
}  // namespace assay

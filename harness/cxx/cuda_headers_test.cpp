// Headers that host code of programs by `assay c++` includes beyond the runtime: the driver's API with modules of
// kernels' text, cuRAND's quasirandom numbers, memory that is mapped, cuBLASXt, NVTX, Thrust; and clock() in kernels.
#include <filesystem>

#include "harness/cxx/test_cxx_program.h"

namespace assay {
namespace {

using testing::HasSubstr;

class CxxHeaders : public CxxProgram {};

constexpr const char* kModule = R"(__constant__ int factor;
extern "C" __global__ void scale(int* x, int n, cudaTextureObject_t texture) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < LIMIT) x[i] = x[i] * factor + static_cast<int>(tex2D<float>(texture, i % 4, i / 4 % 2));
}
)";
constexpr const char* kLoader = R"(#include <cuda.h>
#include <cstdio>
#include <cstring>
#define CHECK(call) if (CUresult result = call; result != CUDA_SUCCESS) return std::printf("%s: %d\n", #call, result), 1
int main(int, char** words) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction scale;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuCtxCreate(&context, nullptr, 0, device));
  CHECK(cuModuleLoad(&module, words[1]));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  if (cuModuleGetFunction(&scale, module, "none") != CUDA_ERROR_NOT_FOUND) return 1;
  CUdeviceptr memory, factor;
  size_t bytes = 0;
  CHECK(cuMemAlloc(&memory, 64));
  CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
  const int three = 3;
  CHECK(cuMemcpyHtoD(factor, &three, bytes));
  int numbers[16];
  for (int i = 0; i < 16; ++i) numbers[i] = i;
  CHECK(cuMemcpyHtoD(memory, numbers, sizeof numbers));

  CUarray array;
  const CUDA_ARRAY_DESCRIPTOR shape{4, 2, CU_AD_FORMAT_FLOAT, 1};
  CHECK(cuArrayCreate(&array, &shape));
  const float texels[8] = {0, 10, 20, 30, 40, 50, 60, 70};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = texels, copy.srcPitch = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array, copy.WidthInBytes = 16, copy.Height = 2;
  CHECK(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC texture{};
  CUtexObject object;
  CHECK(cuTexObjectCreate(&object, &resource, &texture, nullptr));

  int n = 16;
  void* arguments[] = {&memory, &n, &object};
  CHECK(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuMemcpyDtoH(numbers, memory, sizeof numbers));
  CHECK(cuTexObjectDestroy(object));
  CHECK(cuArrayDestroy(array));
  CHECK(cuMemFree(memory));
  bool right = bytes == 4;
  for (int i = 0; i < 16; ++i) right = right && numbers[i] == 3 * i + 10 * (i % 8);
  std::puts(right ? "right" : "wrong");
}
)";

TEST_F(CxxHeaders, ModulesThatAProgramLoads) {
  write("module.cu", kModule);
  write("loader.cpp", kLoader);
  ASSERT_EQ(build("loader.cpp -lcuda -o loader").exit_code, 0);
  const selftest::Ran made = build("-fatbin -DLIMIT=n -o module.fatbin module.cu");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  for (const char* const tool : {"none", "all"}) {
    const selftest::Ran ran = run(std::string("--tool ") + tool + " " + at("loader") + " " + at("module.fatbin"));
    EXPECT_EQ(ran.out, "right\n") << ran.err;
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
  }
  ASSERT_EQ(build("-cubin -DLIMIT=17 module.cu -o module.cubin").exit_code, 0);
  EXPECT_THAT(run(at("loader") + " " + at("module.cubin")).err, HasSubstr("OUT_OF_BOUNDS: kernel scale"));
  write("none.cu", "int x;\n");
  EXPECT_THAT(build("-fatbin none.cu").err, HasSubstr("there is no kernel in none.cu"));
}

TEST_F(CxxHeaders, MemoryThatAProgramMaps) {
  expect_right(R"(#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
__global__ void count(int* x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  cudaFree(nullptr);
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  size_t bytes = 0;
  CUdeviceptr range = 0;
  CUmemGenericAllocationHandle handle = 0;
  CUmemAccessDesc access{properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  bool right = cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS &&
               cuMemAddressReserve(&range, bytes, 0, 0, 0) == CUDA_SUCCESS &&
               cuMemCreate(&handle, bytes, &properties, 0) == CUDA_SUCCESS &&
               cuMemMap(range, bytes, 0, handle, 0) == CUDA_SUCCESS && cuMemRelease(handle) == CUDA_SUCCESS &&
               cuMemSetAccess(range, bytes, &access, 1) == CUDA_SUCCESS;
  count<<<1, 64>>>(reinterpret_cast<int*>(range));
  int last = 0;
  right = right && cuMemcpyDtoH(&last, range + 63 * sizeof last, sizeof last) == CUDA_SUCCESS && last == 63 &&
          cuMemUnmap(range, bytes) == CUDA_SUCCESS && cuMemAddressFree(range, bytes) == CUDA_SUCCESS &&
          cuMemAddressFree(range, bytes) == CUDA_ERROR_INVALID_VALUE;
  std::puts(right ? "right" : "wrong");
}
)");
}

TEST_F(CxxHeaders, SobolsNumbersOfHostAndKernelAreTheSame) {
  expect_right(R"(#include <curand.h>
#include <curand_kernel.h>
#include <nvtx3/nvToolsExt.h>
#include <cstdio>
__global__ void draw(unsigned (*vectors)[32], float* to) {
  curandStateSobol32 state;
  curand_init(vectors[threadIdx.x], 5u, &state);
  skipahead(2u, &state);
  for (int i = 0; i < 8; ++i) to[threadIdx.x * 8 + i] = curand_uniform(&state);
}
int main() {
  nvtxRangePushA("numbers");
  float *given, *drawn;
  unsigned (*vectors)[32];
  curandDirectionVectors32_t* table;
  cudaMallocManaged(&given, 64 * sizeof(float));
  cudaMallocManaged(&drawn, 64 * sizeof(float));
  cudaMallocManaged(&vectors, 3 * sizeof *vectors);
  bool right = curandGetDirectionVectors32(&table, CURAND_DIRECTION_VECTORS_32_JOEKUO6) == CURAND_STATUS_SUCCESS;
  for (int i = 0; i < 3 * 32; ++i) vectors[i / 32][i % 32] = table[i / 32][i % 32];
  curandGenerator_t generator;
  right = right && curandCreateGenerator(&generator, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_SUCCESS &&
          curandSetQuasiRandomGeneratorDimensions(generator, 3) == CURAND_STATUS_SUCCESS &&
          curandSetGeneratorOffset(generator, 7) == CURAND_STATUS_SUCCESS &&
          curandGenerateUniform(generator, given, 23) == CURAND_STATUS_LENGTH_NOT_MULTIPLE &&
          curandGenerateUniform(generator, given, 24) == CURAND_STATUS_SUCCESS;
  draw<<<1, 3>>>(vectors, drawn);
  cudaDeviceSynchronize();
  for (int i = 0; i < 24; ++i) right = right && given[i] == drawn[i];
  std::puts(right ? "right" : "wrong");
  curandDestroyGenerator(generator);
  cudaFree(given), cudaFree(drawn), cudaFree(vectors);
  nvtxRangePop();
}
)",
               "-lcurand");
}

// As on a GPU: no thread has waited before the last begins.
TEST_F(CxxHeaders, ThreadsWaitForATimeAtOnce) {
  expect_right(R"(#include <cuda_runtime.h>
#include <cstdio>
__global__ void wait(unsigned clocks, unsigned* begins, unsigned* ends) {
  const unsigned begin = static_cast<unsigned>(clock());
  unsigned now = begin;
  while (now - begin < clocks) now = static_cast<unsigned>(clock());
  begins[threadIdx.x] = begin, ends[threadIdx.x] = now;
}
int main() {
  unsigned *begins, *ends;
  cudaMallocManaged(&begins, 64 * sizeof(unsigned));
  cudaMallocManaged(&ends, 64 * sizeof(unsigned));
  wait<<<1, 64>>>(10000000, begins, ends);
  cudaDeviceSynchronize();
  bool right = true;
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j)
      right = right && static_cast<int>(ends[i] - begins[j]) > 0 && ends[i] - begins[i] >= 10000000;
  std::puts(right ? "right" : "wrong");
  cudaFree(begins), cudaFree(ends);
}
)");
}

TEST_F(CxxHeaders, KernelsDecideOnTheirGraph) {
  expect_right(R"(#include <cuda_runtime.h>
#include <cstdio>
__global__ void count_down(int* x, cudaGraphConditionalHandle condition) {
  cudaGraphSetConditional(condition, --x[0]);
  ++x[1];
}
int main() {
  int values[2] = {5, 0}, *x;
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  cudaGraphNode_t node;
  cudaGraphConditionalHandle condition;
  cudaMalloc(&x, 8), cudaMemcpy(x, values, 8, cudaMemcpyHostToDevice);
  cudaGraphCreate(&graph, 0);
  cudaGraphConditionalHandleCreate(&condition, graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional}, step = {cudaGraphNodeTypeKernel};
  loop.conditional.handle = condition, loop.conditional.type = cudaGraphCondTypeWhile, loop.conditional.size = 1;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop);
  void* arguments[] = {&x, &condition};
  step.kernel.func = (void*)count_down, step.kernel.kernelParams = arguments;
  step.kernel.gridDim = step.kernel.blockDim = dim3(1);
  cudaGraphAddNode(&node, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, &step);
  cudaGraphInstantiate(&runnable, graph, 0), cudaGraphLaunch(runnable, 0);
  cudaMemcpy(values, x, 8, cudaMemcpyDeviceToHost), cudaFree(x);
  std::puts(values[0] == 0 && values[1] == 5 ? "right" : "wrong");
}
)");
}

TEST_F(CxxHeaders, ProductsOfTheHostsMatrices) {
  expect_right(R"(#include <cublasXt.h>
#include <cstdio>
int main() {
  cublasXtHandle_t handle;
  int device = 0;
  const double a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 2, 0, 1, 1}, one = 1, two = 2;
  double c[4] = {1, 1, 1, 1};  // columns one behind the other
  bool right = cublasXtCreate(&handle) == CUBLAS_STATUS_SUCCESS &&
               cublasXtDeviceSelect(handle, 1, &device) == CUBLAS_STATUS_SUCCESS &&
               cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a, 2, b, 3, &two, c, 2) ==
                   CUBLAS_STATUS_SUCCESS &&
               cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, a, 1, b, 3, &two, c, 2) ==
                   CUBLAS_STATUS_INVALID_VALUE;
  right = right && c[0] == 13 && c[1] == 16 && c[2] == 10 && c[3] == 12;
  cublasXtDestroy(handle);
  std::puts(right ? "right" : "wrong");
}
)",
               "-lcublas");
}

TEST_F(CxxHeaders, ThrustRunsOnTheHost) {
  std::string folder;
  for (const char* const each : {"/usr/local/cuda/include", "/usr/include"})
    for (const char* const within : {"/cccl", ""})
      if (folder.empty() && std::filesystem::exists(std::string(each) + within + "/thrust/version.h"))
        folder = std::string(each) + within;
  if (folder.empty()) GTEST_SKIP() << "Thrust's headers are not here: they come with the CUDA toolkit";
  expect_right(R"(#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <cstdio>
__global__ void twice(int* x) { x[threadIdx.x] *= 2; }
int main() {
  thrust::host_vector<int> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = 64 - i;
  thrust::device_vector<int> sorted = numbers;
  thrust::sort(sorted.begin(), sorted.end());
  twice<<<1, 64>>>(thrust::raw_pointer_cast(sorted.data()));
  cudaDeviceSynchronize();
  thrust::inclusive_scan(sorted.begin(), sorted.end(), sorted.begin());
  numbers = sorted;
  std::puts(numbers[0] == 2 && numbers[63] == 4160 ? "right" : "wrong");
}
)",
               "-I" + folder);
}

}  // namespace
}  // namespace assay

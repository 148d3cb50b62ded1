// The rest of the CUDA runtime that the vendor's module needs, for tests of which calls it makes: launches of kernels,
// which compute nothing, and what CUB asks of a GPU. A call that is missing here and in cudart.cpp shows as a symbol
// that the loader does not find.
#include <cuda_runtime_api.h>

#include "reference/vendor/fake/second_run.h"

using assay::vendor::fake::must_be_current;
using assay::vendor::fake::not_in_second_run;

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared = 0;
  cudaStream_t stream = nullptr;
} configuration;  // between <<<…>>> and the launch

}  // namespace

extern "C" {

// Calls that nvcc makes: they register kernels when the module is loaded, and launch what is between <<<…>>>.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the names are nvcc's.
void** __cudaRegisterFatBinary(void*) {
  static void* handle;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  configuration = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *static_cast<cudaStream_t*>(stream) = configuration.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void*) {
  *kernel = nullptr;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t stream) {
  must_be_current("a kernel", stream);
  return cudaSuccess;
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind kind, cudaStream_t stream) {
  must_be_current("cudaMemcpyAsync", stream);
  if (kind != cudaMemcpyDeviceToDevice) not_in_second_run("a copy from or to the host");
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t stream) {
  must_be_current("cudaMemsetAsync", stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  not_in_second_run("cudaStreamSynchronize");
  return cudaSuccess;
}

cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  attributes->ptxVersion = attributes->binaryVersion = 90;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int, size_t, unsigned) {
  *blocks = 1;
  return cudaSuccess;
}
}

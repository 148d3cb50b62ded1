// The calls of the CUDA runtime that the host's side of variants makes by itself: device memory is the host's here. No
// work is timed, so there are no events.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>

#include "reference/vendor/fake/second_run.h"

using assay::vendor::fake::must_be_current;
using assay::vendor::fake::not_in_second_run;

extern "C" {
cudaError_t cudaMalloc(void** memory, size_t bytes) {
  not_in_second_run("cudaMalloc");
  *memory = std::malloc(bytes);
  return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "refused by the fake"; }

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  constexpr int kPlenty = 1 << 16;  // of multiprocessors, shared memory, blocks: CUB divides its grids by them
  *value = attribute == cudaDevAttrComputeCapabilityMajor   ? 9
           : attribute == cudaDevAttrComputeCapabilityMinor ? 0
                                                            : kPlenty;
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  must_be_current("cudaMemcpy2DAsync", stream);
  if (kind != cudaMemcpyDeviceToDevice) not_in_second_run("a copy from or to the host");
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  for (size_t row = 0; row < rows; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
  return cudaSuccess;
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t rows, cudaStream_t stream) {
  must_be_current("cudaMemset2DAsync", stream);
  if (width > pitch) return cudaErrorInvalidPitchValue;
  for (size_t row = 0; row < rows; ++row) std::memset(static_cast<char*>(to) + row * pitch, value, width);
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  not_in_second_run("cudaFree");
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t*) {
  not_in_second_run("cudaEventCreate");
  return cudaErrorNotSupported;
}
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaErrorNotSupported; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaErrorNotSupported; }
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  not_in_second_run("cudaEventSynchronize");
  return cudaErrorNotSupported;
}
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t) { return cudaErrorNotSupported; }
}

// The few names of the CUDA runtime that kernel files mention outside their kernels.
//
// There is no device to manage here: calls that do are in runtime_api.h, for the host code of users' files.
#pragma once

#include "harness/simt/include/simt/errors.h"
#include "harness/simt/include/simt/limits.h"

using cudaStream_t = void*;
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

template <class Kernel>
inline cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute attribute, int value) {
  const bool too_much = value > static_cast<int>(assay::simt::kSharedBytesMax);
  return attribute == cudaFuncAttributeMaxDynamicSharedMemorySize && too_much ? cudaErrorInvalidValue : cudaSuccess;
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : error == cudaErrorMemoryAllocation ? "out of memory" : "invalid argument";
}

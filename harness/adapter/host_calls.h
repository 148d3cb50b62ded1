// The CUDA runtime's calls that host code in a user's kernel file may make, so that the file compiles unchanged for the
// executor. Nothing calls them: memory and launches are the harness's business.
#pragma once

#include <cstddef>
#include <cstdlib>

// Stands for kernel<<<…>>>: see without_launch_syntax().
struct AssayRefusedLaunch {
  template <class... Arguments>
  void operator()(const Arguments&...) const {
    std::abort();
  }
};
#define assay_refused_launch(...) \
  AssayRefusedLaunch {}

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81
};
struct cudaDeviceProp {
  char name[256];
  int major, minor, multiProcessorCount, maxThreadsPerBlock, maxThreadsPerMultiProcessor, warpSize;
  size_t sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor, totalGlobalMem;
};
using cudaEvent_t = void*;

#define ASSAY_NEVER_CALLED(name)                 \
  template <class... Arguments>                  \
  inline cudaError_t name(const Arguments&...) { \
    std::abort();                                \
  }
ASSAY_NEVER_CALLED(cudaMalloc)
ASSAY_NEVER_CALLED(cudaMallocAsync)
ASSAY_NEVER_CALLED(cudaMallocHost)
ASSAY_NEVER_CALLED(cudaMallocManaged)
ASSAY_NEVER_CALLED(cudaFree)
ASSAY_NEVER_CALLED(cudaFreeAsync)
ASSAY_NEVER_CALLED(cudaFreeHost)
ASSAY_NEVER_CALLED(cudaMemcpy)
ASSAY_NEVER_CALLED(cudaMemcpyAsync)
ASSAY_NEVER_CALLED(cudaMemset)
ASSAY_NEVER_CALLED(cudaMemsetAsync)
ASSAY_NEVER_CALLED(cudaDeviceSynchronize)
ASSAY_NEVER_CALLED(cudaDeviceReset)
ASSAY_NEVER_CALLED(cudaSetDevice)
ASSAY_NEVER_CALLED(cudaGetDevice)
ASSAY_NEVER_CALLED(cudaGetDeviceCount)
ASSAY_NEVER_CALLED(cudaGetDeviceProperties)
ASSAY_NEVER_CALLED(cudaDeviceGetAttribute)
ASSAY_NEVER_CALLED(cudaStreamCreate)
ASSAY_NEVER_CALLED(cudaStreamCreateWithFlags)
ASSAY_NEVER_CALLED(cudaStreamDestroy)
ASSAY_NEVER_CALLED(cudaStreamSynchronize)
ASSAY_NEVER_CALLED(cudaEventCreate)
ASSAY_NEVER_CALLED(cudaEventRecord)
ASSAY_NEVER_CALLED(cudaEventSynchronize)
ASSAY_NEVER_CALLED(cudaEventElapsedTime)
ASSAY_NEVER_CALLED(cudaEventDestroy)
ASSAY_NEVER_CALLED(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
ASSAY_NEVER_CALLED(cudaLaunchKernel)
ASSAY_NEVER_CALLED(cudaLaunchCooperativeKernel)
#undef ASSAY_NEVER_CALLED
inline const char* cudaGetErrorName(cudaError_t) { return "no error"; }

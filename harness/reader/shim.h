// Put in front of a CUDA file that assay_read reads (-include): the executor's headers, as host and device code, and
// CUDA's qualifiers as Clang has them. They are system headers there: what they define is not the user's.
#pragma once
#pragma GCC system_header

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <string_view>
#include <tuple>
#ifdef ASSAY_READ_STANDARD_LIBRARY  // a quarter second, for files whose own headers may be missing
#include <functional>
#include <memory>
#include <string>
#include <vector>
#endif
#undef __host__
#undef __device__
#pragma clang force_cuda_host_device begin
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cooperative_groups.h>

#include "harness/simt/include/prelude.h"
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/include/simt/mma.h"
#include "harness/simt/include/simt/runtime_api.h"
#pragma clang force_cuda_host_device end

#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#undef __managed__
#undef __launch_bounds__
#undef __noinline__
#undef __grid_constant__
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ __attribute__((managed))
#define __grid_constant__ __attribute__((grid_constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* = nullptr);

enum cudaLaunchAttributeID {
  cudaLaunchAttributeProgrammaticStreamSerialization,
  cudaLaunchAttributeClusterDimension,
  cudaLaunchAttributeCooperative
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed, cooperative;
    dim3 clusterDim;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
template <class... Params, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, void (*)(Params...), Arguments&&...);

__device__ __host__ void assay_read_requires(bool);
#define ASSAY_READ_ASSERT(...) assay_read_requires(static_cast<bool>(__VA_ARGS__))
#undef assert
#define assert ASSAY_READ_ASSERT

#if !__has_include(<torch/extension.h>) && !__has_include(<ATen/ATen.h>)
#include "harness/reader/torch_stubs.h"
#endif

#define __CUDACC__ 1  // files guard what only nvcc may see

// In place of Thrust's header of this name: memory of the device is managed memory, which Thrust's algorithms on the
// host and the program's kernels may both access. Kernels that call Thrust have the device's heap.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>
#include <thrust/system_error.h>

#include <cstdlib>

#include "harness/cxx/include/program_prelude.h"

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {

template <class DerivedPolicy>
inline void* malloc(execution_policy<DerivedPolicy>&, std::size_t bytes) {
#if defined(__CUDA_ARCH__)
  return std::malloc(bytes);
#else
  void* memory = nullptr;
  return bytes == 0 || cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal) != cudaSuccess ? nullptr : memory;
#endif
}

template <class DerivedPolicy, class Pointer>
inline void free(execution_policy<DerivedPolicy>&, Pointer pointer) {
#if defined(__CUDA_ARCH__)
  std::free(::thrust::raw_pointer_cast(pointer));
#else
  cudaFree(::thrust::raw_pointer_cast(pointer));
#endif
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END

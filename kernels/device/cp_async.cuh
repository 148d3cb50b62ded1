// Copies from global to shared memory that go on while the thread does (PTX cp.async).
//
// A copy is not there before its thread has waited for it: copies since the last commit are a group, groups complete in
// order, and cp_async_wait_group<N>() waits for all except the thread's N youngest. Other threads need a barrier after
// that wait, as for any write. `to` is shared memory; both addresses are multiples of the size, which is 4, 8 or 16.
#pragma once

#if !defined(__CUDACC__)
#include "harness/simt/include/simt/async_copy.h"
#endif

namespace assay::device {

#if defined(__CUDACC__)

// source_bytes: how many are read; the rest of the destination becomes zeros. With 0 the source is not looked at.
template <int bytes>
__device__ __forceinline__ void cp_async(void* to, const void* from, int source_bytes = bytes) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const size_t global = __cvta_generic_to_global(from);
  if constexpr (bytes == 16)  // past the first-level cache, which only this size can do
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global), "r"(source_bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(global), "n"(bytes),
                 "r"(source_bytes)
                 : "memory");
}

__device__ __forceinline__ void cp_async_commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int left>
__device__ __forceinline__ void cp_async_wait_group() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

// Waits for everything that the thread has begun, whether committed or not.
__device__ __forceinline__ void cp_async_wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

#else

using simt::cp_async;
using simt::cp_async_commit_group;
using simt::cp_async_wait_all;
using simt::cp_async_wait_group;

#endif

}  // namespace assay::device

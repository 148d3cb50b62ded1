// cp.async: what kernels/device/cp_async.cuh and cuda_pipeline_primitives.h are in the executor
// (runtime/async_copy.cpp).
#pragma once

#include "harness/simt/include/simt/fiber.h"

#pragma GCC visibility push(default)
namespace assay::simt {

// Begins a copy of 4, 8 or 16 bytes to shared memory: source_bytes of them from `from`, the rest zeros.
void async_copy(const Fiber* me, void* to, const void* from, size_t bytes, size_t source_bytes);
// Makes one group of the copies that the thread has begun since the last commit.
void async_commit(const Fiber* me);
// Completes the thread's groups, the oldest first, except the `left` youngest.
void async_wait(const Fiber* me, size_t left);
// Completes all that the thread has begun, whether committed or not.
void async_wait_all(const Fiber* me);

}  // namespace assay::simt
#pragma GCC visibility pop

namespace assay::simt {

// A copy is known by its return address, so what may be the last call of a kernel must not become a jump.
ASSAY_SIMT_INLINE void begin_async_copy(void* to, const void* from, size_t bytes, size_t source_bytes) {
  async_copy(current(), to, from, bytes, source_bytes);
  asm volatile("");
}

template <int bytes>
ASSAY_SIMT_INLINE void cp_async(void* to, const void* from, int source_bytes = bytes) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  begin_async_copy(to, from, bytes, static_cast<size_t>(source_bytes));
}
ASSAY_SIMT_INLINE void cp_async_commit_group() { async_commit(current()); }
template <int left>
ASSAY_SIMT_INLINE void cp_async_wait_group() {
  async_wait(current(), left);
}
ASSAY_SIMT_INLINE void cp_async_wait_all() { async_wait_all(current()); }

}  // namespace assay::simt

// CUDA's asynchronous copies as C functions.
#pragma once

#include "harness/simt/include/prelude.h"
#include "harness/simt/include/simt/async_copy.h"

// The last `zfill` bytes of the destination become zeros, and of the source they are not read.
ASSAY_SIMT_INLINE void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zfill = 0) {
  ::assay::simt::begin_async_copy(to, from, bytes, bytes - zfill);
}
ASSAY_SIMT_INLINE void __pipeline_commit() { ::assay::simt::async_commit(::assay::simt::current()); }
ASSAY_SIMT_INLINE void __pipeline_wait_prior(size_t left) { ::assay::simt::async_wait(::assay::simt::current(), left); }

// CUDA's declaration qualifiers, and the built-in variables.
//
// Shared memory is thread-local memory of the OS thread that runs the block. Function-scope arrays then need no change,
// and `extern __shared__` names are resolved to one buffer by the build (kernel_module.cmake).
#pragma once

#define __global__ __attribute__((flatten))  // a `ret` between two barriers is always mispredicted; nvcc inlines too
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __shared__ thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#ifndef __restrict__
#define __restrict__ __restrict
#endif

#if defined(ASSAY_CPU_CHECKED)
#define ASSAY_SIMT_QUIET(object, type, member) \
  (::assay::simt::quiet_index(reinterpret_cast<const char*>(object) + __builtin_offsetof(::assay::simt::type, member)))
#define threadIdx ASSAY_SIMT_QUIET(::assay::simt::current(), Fiber, thread_idx)
#define blockIdx ASSAY_SIMT_QUIET(&::assay::simt::block, Block, block_idx)
#define blockDim ASSAY_SIMT_QUIET(&::assay::simt::block, Block, block_dim)
#define gridDim ASSAY_SIMT_QUIET(&::assay::simt::block, Block, grid_dim)
#else
#define threadIdx (static_cast<const uint3&>(::assay::simt::current()->thread_idx))
#define blockIdx (static_cast<const uint3&>(::assay::simt::block.block_idx))
#define blockDim (static_cast<const dim3&>(::assay::simt::block.block_dim))
#define gridDim (static_cast<const dim3&>(::assay::simt::block.grid_dim))
#endif
static constexpr int warpSize = 32;

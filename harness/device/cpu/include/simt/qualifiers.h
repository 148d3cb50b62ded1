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

#define threadIdx (::assay::simt::quiet_index(::assay::simt::current()->thread_idx))
#define blockIdx (::assay::simt::quiet_index(::assay::simt::block.block_idx))
#define blockDim (::assay::simt::quiet_index(::assay::simt::block.block_dim))
#define gridDim (::assay::simt::quiet_index(::assay::simt::block.grid_dim))
static constexpr int warpSize = 32;

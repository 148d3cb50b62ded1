// CUDA's declaration qualifiers, and the built-in variables.
//
// Shared memory is thread_local to the compiler, because no other keyword is right both for an array in a function and
// behind `extern`. The build makes plain memory of it (build/finish/shared_memory.h).
#pragma once

#ifndef __CUDA__   // clang, which reads CUDA, has __noinline__ as a keyword
#include <memory>  // before __noinline__ is a macro: this one header of the library writes it in an attribute
#endif

#define __global__ ASSAY_SIMT_KERNEL
#define __device__
#define __host__
// To the compiler, a variable that the linker must not drop; such a one gets a section of its own, by whose flags the
// build knows it (build/finish/constant_memory.h).
#define __constant__ __attribute__((retain))
#define __managed__
#define __grid_constant__
#define __shared__ thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
// The limit must be known at the launch, and an attribute is all that may stand here: as many bytes of nops in front of
// the function as it may have threads, which the build counts and takes out (build/finish/launch_bounds.h).
#if defined(__x86_64__) && !defined(__clang__)  // clang wants a literal in templates
#define ASSAY_FIRST_OF(first, ...) first
#define __launch_bounds__(...) \
  __attribute__((patchable_function_entry(ASSAY_FIRST_OF(__VA_ARGS__, ) + 0, ASSAY_FIRST_OF(__VA_ARGS__, ) + 0)))
#else
#define __launch_bounds__(...)
#endif
#define __maxnreg__(...)
#define __block_size__(...)
#if !defined(__clang__)
#define __builtin_assume(condition) static_cast<void>(0)
#endif
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
#define threadIdx (static_cast<const ::uint3&>(::assay::simt::current()->thread_idx))
#define blockIdx (static_cast<const ::uint3&>(::assay::simt::block.block_idx))
#define blockDim (static_cast<const ::dim3&>(::assay::simt::block.block_dim))
#define gridDim (static_cast<const ::dim3&>(::assay::simt::block.grid_dim))
#endif
static constexpr int warpSize = 32;

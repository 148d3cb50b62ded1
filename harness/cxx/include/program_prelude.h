// Put in front of every file that `assay c++` compiles, for its host code and for its kernels: what kernel files see
// (harness/simt/include/prelude.h), and the CUDA runtime as libassay_cuda.so has it.
//
// Where ASSAY_CXX_HOST or ASSAY_CXX_DEVICE is defined, CUDA's qualifiers survive preprocessing, because they tell
// kernels, functions and variables of the device from the host's (../rewrite.h). Elsewhere, as in a .cpp file that
// includes <cuda_runtime.h>, they mean nothing.
#pragma once

// The executor's kernel files have a few names of the runtime with meanings of their own; here they have the runtime's.
#include "harness/simt/include/simt/errors.h"
#include "harness/simt/include/simt/limits.h"
namespace assay::cxx::unused {
#include "harness/simt/include/simt/host_api.h"
}

// The condition of assert() (harness/simt/include/assert.h): host code has the C library's.
#if defined(NDEBUG)
#define ASSAY_READ_ASSERT(...) static_cast<void>(0)
#elif !defined(ASSAY_CXX_DEVICE)
#define ASSAY_READ_ASSERT(...) \
  ((__VA_ARGS__) ? static_cast<void>(0) : __assert_fail(#__VA_ARGS__, __FILE__, __LINE__, __func__))
extern "C" [[noreturn]] void __assert_fail(const char* condition, const char* file, unsigned line,
                                           const char* function) noexcept;
#endif

#if defined(ASSAY_CXX_HOST) || defined(ASSAY_CXX_DEVICE)
#include "harness/simt/include/prelude.h"

// These name the built-in variables outside of functions that are marked as the device's: they come before what
// follows.
#include "harness/cxx/include/grid_group.h"
#include "harness/simt/include/cooperative_groups.h"
#include "harness/simt/include/cooperative_groups/reduce.h"
#include "harness/simt/include/cooperative_groups/scan.h"

#include "harness/cxx/include/inline_ptx.h"
#include "harness/cxx/include/rounded_doubles.h"

// From here on threadIdx and its like are no macros.
#include "harness/cxx/include/built_in_variables.h"

#include "harness/cxx/include/cuda_templates.h"
#include "harness/cxx/include/kernels.h"
#include "harness/cxx/include/scoped_atomics.h"
#include "harness/cxx/include/texture_functions.h"
namespace assay::cxx {
struct InlinePtxStandsHere;  // ../inline_ptx.h
}
#else
#define CUDART_VERSION 13000
// A host file may have read <math.h> before; the executor's lerp would then be there twice.
#include <math.h>
#define assay_simt_lerp ::std::lerp
namespace assay::cxx::unused {
#include "harness/simt/include/simt/std_math.h"
}
#undef assay_simt_lerp
#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/qualifiers.h"

#include "harness/cxx/include/built_in_variables.h"
#include "harness/cxx/include/cuda_templates.h"
#endif

#include "harness/cxx/include/aligned_vector_types.h"

#undef __global__
#if defined(ASSAY_CXX_HOST) || defined(ASSAY_CXX_DEVICE)
#undef __device__
#undef __host__
#undef __constant__
#undef __managed__
#define __device__ __device__
#define __host__ __host__
#define __constant__ __constant__
#define __managed__ __managed__
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
// nvcc gives lambdas of kernels types of its own; here they stay what they are.
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#endif
#if defined(ASSAY_CXX_HOST)
#define __global__ __global__ __attribute__((noipa))
#undef __launch_bounds__
#define __launch_bounds__(...)
#elif defined(ASSAY_CXX_DEVICE)
#define __CUDA_ARCH__ 900
#define __global__ __global__ ASSAY_SIMT_KERNEL __attribute__((noipa))
#else
#define __global__
#undef __launch_bounds__
#define __launch_bounds__(...)
#endif

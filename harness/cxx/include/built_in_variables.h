// threadIdx and its like as C++ knows them, so that host code may have variables and members of these names.
//
// To a kernel file of the executor they are macros. Here functions of the device call what is below instead, where
// ../rewrite.h finds the names in them; elsewhere the names are variables that nobody reads.
#pragma once

#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/qualifiers.h"

namespace assay::cxx {

ASSAY_SIMT_INLINE decltype(auto) built_in_threadIdx() { return (threadIdx); }
ASSAY_SIMT_INLINE decltype(auto) built_in_blockIdx() { return (blockIdx); }
ASSAY_SIMT_INLINE decltype(auto) built_in_blockDim() { return (blockDim); }
ASSAY_SIMT_INLINE decltype(auto) built_in_gridDim() { return (gridDim); }
// clock() of a kernel counts cycles; the C library's, of this name, does not.
#if defined(ASSAY_CXX_HOST) || defined(ASSAY_CXX_DEVICE)
ASSAY_SIMT_INLINE clock_t built_in_clock() { return clock64(); }
#endif

}  // namespace assay::cxx

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
static constexpr uint3 threadIdx{}, blockIdx{};
static constexpr dim3 blockDim{}, gridDim{};

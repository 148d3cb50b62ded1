// threadIdx and its like as C++ knows them, so that programs may have variables and members of these names.
//
// To a kernel file of the executor they are macros. Here they are objects that nobody reads: in functions of the device
// ../rewrite.h writes built_in(threadIdx) for threadIdx, and by the object's type that is the macro's value; a variable
// of the program's own that has the name stays what it is.
#pragma once

#include <time.h>

#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/qualifiers.h"
#include "harness/simt/include/simt/waiting_clock.h"

namespace assay::cxx {

struct ThreadIdx : uint3 {};
struct BlockIdx : uint3 {};
struct BlockDim : dim3 {};
struct GridDim : dim3 {};

ASSAY_SIMT_INLINE decltype(auto) built_in(const ThreadIdx&) { return (threadIdx); }
ASSAY_SIMT_INLINE decltype(auto) built_in(const BlockIdx&) { return (blockIdx); }
ASSAY_SIMT_INLINE decltype(auto) built_in(const BlockDim&) { return (blockDim); }
ASSAY_SIMT_INLINE decltype(auto) built_in(const GridDim&) { return (gridDim); }
template <class T>
ASSAY_SIMT_INLINE const T& built_in(const T& other) {
  return other;
}

// clock() of a kernel counts cycles; the C library's, of this name, does not.
#if defined(ASSAY_CXX_HOST) || defined(ASSAY_CXX_DEVICE)
ASSAY_SIMT_INLINE clock_t built_in_clock() { return simt::waiting_clock(); }
#endif

}  // namespace assay::cxx

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
static constexpr ::assay::cxx::ThreadIdx threadIdx{};
static constexpr ::assay::cxx::BlockIdx blockIdx{};
static constexpr ::assay::cxx::BlockDim blockDim{};
static constexpr ::assay::cxx::GridDim gridDim{};

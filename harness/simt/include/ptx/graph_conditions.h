// The call by which a kernel decides what its graph runs next.
#pragma once

#include "harness/simt/include/ptx/memory.h"
#include "harness/simt/include/simt/graph_conditions.h"

namespace assay::ptx {

// A handle that is none's is undefined behaviour; here the kernel ends with its line.
inline void call_cudaGraphSetConditional(const void* handle, const void* value) {
  if (!simt::set_condition(peek<uint64_t>(handle), peek<uint32_t>(value))) __trap();
}

}  // namespace assay::ptx

// Copies between host and device memory, for the calls that copy.
#pragma once

#include "harness/program/runtime/process.h"

namespace assay::program {

// Whether an address is in an allocation of this process or in a variable of a module.
bool is_on_device(const GpuProcess& process, const void* address);

// Copies bytes; a side that is not what the kind of copy says, or too small, makes a finding. `name`: of the call.
cudaError_t copy(GpuProcess& process, const char* name, void* to, const void* from, size_t bytes, cudaMemcpyKind kind);

// Rows of bytes within larger memory: where the first one begins, and how far apart rows and slices lie.
struct Box {
  char* begin = nullptr;
  size_t row_bytes = 0, slice_bytes = 0;
};
// Copies `depth` slices of `height` rows of `width` bytes.
cudaError_t copy_box(GpuProcess& process, const char* name, const Box& to, const Box& from, size_t width, size_t height,
                     size_t depth, cudaMemcpyKind kind);

}  // namespace assay::program

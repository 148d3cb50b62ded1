// Where a variable of the program is, for calls that name it.
#pragma once

#include <tl/expected.hpp>

#include "harness/program/runtime/process.h"

namespace assay::program {

// The address of byte `offset` of a variable, of which `bytes` from there on must be there. Errors: it is none, or has
// fewer, which is logged. The caller holds the process's lock.
tl::expected<char*, cudaError_t> symbol_address(GpuProcess& process, const char* name, const void* symbol, size_t bytes,
                                                size_t offset);

}  // namespace assay::program

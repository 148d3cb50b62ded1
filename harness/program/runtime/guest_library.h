// A process that is no program under `assay run`: one of Assay's own that judges a function of a user's library
// (../../op/cuda_library.h). Its launches run in the executor's context of the case, findings are the case's, and the
// case's buffers are device memory for as long as a call lasts.
#pragma once

#include <cstddef>

#include "harness/op/cuda_library.h"

extern "C" {
// The function of a library; the answer is what is wrong, "" where nothing is.
const char* assay_library_function(const char* path, const char* name, void** function);
// Around a call. False: it must not be made, and a finding says why.
bool assay_library_call_begins(const assay::LentBuffer* buffers, size_t count);
void assay_library_call_ends();
}

// A process that is no program under `assay run`: one of Assay's own that judges a function of a user's library
// (../../op/cuda_library.h). Its launches run in the executor's context of the case, findings are the case's, and the
// case's buffers are device memory for as long as a call lasts.
#pragma once

#include <cstddef>

#include "harness/op/cuda_library.h"

extern "C" {
// Around a call of the function of that name, which the first gives. The answer is what is wrong, "" where nothing is.
const char* assay_library_call_begins(const char* path, const char* name, const assay::LentBuffer* buffers,
                                      size_t count, void** function);
void assay_library_call_ends();
}

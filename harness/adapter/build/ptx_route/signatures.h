// Signatures of kernels as nvcc has them: the mangled name of each entry says types in full, and which instance of a
// template it is. Limit: a name that is not mangled (extern "C") says neither.
#pragma once

#include <string>

#include "harness/adapter/read/kernel_source.h"
#include "harness/ptx/module.h"

namespace assay {

// A parameter from its demangled type: "float const*" is a pointer to const float. It has no name.
Parameter parameter_of_type(std::string type);

// Adds instances with their launch bounds and static shared memory, one for each entry of `module`, to the kernels of
// `source` that they come from; to none where the number of parameters does not distinguish kernels of one name.
void take_instances(const ptx::Module& module, CudaSource& source);

}  // namespace assay

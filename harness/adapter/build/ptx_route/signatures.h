// Signatures of kernels as nvcc has them: types without aliases, instances of templates, launch bounds, shared memory.
//
// PTX has no names of parameters, but the mangled name of each entry says every type in full; the preprocessed text has
// the names, and the templates that entries are instances of. Limit: a name that is not mangled (extern "C") has no
// types, and those of the text stay.
#pragma once

#include <string>

#include "harness/adapter/read/kernel_source.h"
#include "harness/ptx/module.h"

namespace assay {

// A parameter from its demangled type: "float const*" is a pointer to const float. It has no name.
Parameter parameter_of_type(std::string type);

// Puts the types of the entries of `module` in the place of those of the text, in the kernels of `source` that they
// come from. A type that depends on template parameters stays as the text has it, and so does another spelling of the
// same type (size_t for "unsigned long"). Kernels of one name that the number of parameters does not distinguish stay.
void take_signatures(const ptx::Module& module, CudaSource& source);

}  // namespace assay

// `assay c++`: a CUDA program from its sources, by the host compiler alone.
#pragma once

#include "harness/base/error.h"
#include "harness/cxx/options.h"

namespace assay::cxx {

// Does what the words ask for, as nvcc would; what compilers say goes to standard error, as they say it. An exit code.
// Errors: a construct or an option that is not compiled this way, with its place.
Result<int> build_program(const Words& words);

}  // namespace assay::cxx

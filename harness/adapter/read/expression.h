// Rewrites C++ expressions of a CUDA file in the names of a contract.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/read/kernel_source.h"
#include "harness/base/error.h"

namespace assay {

// The meanings of the source's names in an adapter's terms; "sizeof scalar_t" is the name of a type's size. "" for a
// name that must not be followed.
using Names = std::map<std::string, std::string>;

// `expression` in an adapter's terms: names replaced, casts left out, the usual functions for rounding up called
// ceil_div. The error is the name that means nothing here.
Result<std::string> resolved(const std::vector<Token>& expression, const Names& names);

// The names of a file's constants as their values, in an adapter's terms.
Names constants_of(const CudaSource& source);

}  // namespace assay

// `assay list ops`: what ops mean, from their contracts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/tensor/dtype.h"

namespace assay {

// Prints all ops, or with `glob` those whose name it matches, in detail. Returns an exit code.
Result<int> list_ops(const std::string& glob);

std::vector<std::string_view> names_of(const std::vector<DType>& dtypes);

}  // namespace assay

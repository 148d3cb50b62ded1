// Variables of host code that are named as what a kernel reads its launch from: dim3 blockDim(16, 16). In host code
// those are names like any other, and the executor's headers make them mean the running block.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// The same text, its lines where they were, with other names for such variables in the functions that declare them.
std::string with_host_variables_renamed(std::string_view text);

}  // namespace assay

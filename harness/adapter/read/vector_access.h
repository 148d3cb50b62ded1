// Whether a file's kernels need tensors that begin at multiples of 16 bytes, as far as its text shows it.
#pragma once

#include <string_view>

namespace assay {

// 16 where the text accesses memory in vectors (float4, half2, alignas, cp.async, inline PTX …) and never looks at an
// address as a number, and where it includes files of its own, which are not read here, or is PTX. Else 1: elements one
// by one, or a path for what is not aligned.
int needed_alignment(std::string_view code);

}  // namespace assay

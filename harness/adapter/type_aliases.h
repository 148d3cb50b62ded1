// The types that a file's own names stand for: typedef float f32; using scalar = __half; typedef const float* in_t;
#pragma once

#include <string_view>

#include "harness/adapter/kernel_source.h"

namespace assay {

// Puts the type that a name stands for in the place of the name, in the parameters of all kernels and functions.
// `code` is the text with its own headers, without comments. A name with several meanings, as behind #if, stays.
void resolve_type_aliases(std::string_view code, CudaSource& source);

}  // namespace assay

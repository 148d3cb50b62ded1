// A user's text as nvcc's preprocessor leaves it: macros expanded, branches decided. Kernels that macros make are
// there.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// The lines of `preprocessed` from the file `path`, each at its own number less `first_line` - 1: line 1 of the result
// is line `first_line` of the file. Code that a macro makes lies on the line where it is used. CUDA's attributes are
// spelled as its qualifiers again (__global__, __launch_bounds__(256)), and other attributes are gone.
std::string own_text(std::string_view preprocessed, const std::string& path, int first_line);

}  // namespace assay

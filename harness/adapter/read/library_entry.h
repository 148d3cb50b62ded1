// A function of a user's shared library that launches kernels, as CUDA text: so that its parameters meet an op as those
// of a launcher in a source file do.
#pragma once

#include <string>

#include "harness/base/error.h"

namespace assay {

struct LibraryEntry {
  std::string name;         // "softmax_forward"
  std::string declaration;  // "void softmax_forward(float* out, const float* inp, int N, int C)"
  std::string text;         // a file in which that function launches something
};

// Whether the file is a shared library with kernels in it.
bool has_kernels(const std::string& library);

// The function that `entry` declares, or names where the library has debug information of it. Errors: the library has
// no PTX, or does not export one function of that name; its parameters are others; nothing declares it.
Result<LibraryEntry> library_entry(const std::string& library, const std::string& entry);

}  // namespace assay

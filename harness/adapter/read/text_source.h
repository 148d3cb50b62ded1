// CUDA text that is kept as a string in a file of another language: Rust raw strings, Ruby heredocs, Python triple
// quotes, C++ raw strings.
#pragma once

#include <string>

#include "harness/base/error.h"

namespace assay {

struct CudaText {
  std::string text;
  int first_line = 1;  // of the text in the file
};

// Whether a file is CUDA, C or C++ by its ending.
bool is_cuda_file(const std::string& path);

// The CUDA text of a file. A file of CUDA, C or C++ (by its ending) is its own text. The text of any other is the one
// string that holds `__global__`, and `entry` where several do; errors give their number.
Result<CudaText> cuda_text(const std::string& path, const std::string& file, const std::string& entry);

}  // namespace assay

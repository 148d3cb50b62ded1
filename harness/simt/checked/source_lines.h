// Finds for an address in a kernel module the line of the kernel that a person wrote.
#pragma once

#include <string>

namespace assay::simt::checked {

// "rms.cu:31": the line of the instruction before `return_address`. Where that lies in a function of our CUDA headers
// (an atomic, __ldg) or of the C++ library (std::copy), the line that called it. "" when the module carries no line
// table.
std::string source_line(const void* return_address);

// As source_line(), but "" where that would be a line of those headers: the caller is in another frame. For addresses
// in a program's host code, NVIDIA's headers and generated code are headers too.
__attribute__((visibility("default"))) std::string line_outside_headers(const void* return_address);

}  // namespace assay::simt::checked

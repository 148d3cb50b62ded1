// The declaration of a function as the debug information of the file that defines it has it.
#pragma once

#include <string>

namespace assay::simt::checked {

// "void scale(float* out, float const* in, int n)". "": the file has no debug information of it, or of several
// functions of that name, or it takes what needs more than one line.
__attribute__((visibility("default"))) std::string declaration_in(const std::string& file, const std::string& name);

}  // namespace assay::simt::checked

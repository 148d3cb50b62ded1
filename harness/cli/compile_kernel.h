// The command that programs under `assay run` call for a kernel of a fat binary, which becomes a module.
#pragma once

#include <string>
#include <vector>

namespace assay {

// The words are FILE NAME BUILD VARIABLE…. Prints the path of the module that has the kernel or variable NAME of the
// fat binaries in FILE, and whatever shares variables with it. BUILD is fast or checked, the variables are those that
// the program's host code knows. An exit code; what is wrong goes to standard error.
int compile_kernel_main(const std::vector<std::string>& words);

}  // namespace assay

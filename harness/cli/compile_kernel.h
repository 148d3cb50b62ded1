// The command that programs under `assay run` call for a kernel of a fat binary, which becomes a module.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/adapter/build/build.h"
#include "harness/base/error.h"

namespace assay {

// The path of the module that has the kernels and variables of these names, out of PTX, and whatever shares variables
// with them: `output`, or one that was made before. `registered`: the variables that the program's host code knows;
// `counts`: instructions are to be counted.
Result<std::string> module_of_ptx(const std::vector<std::string>& texts, const std::set<std::string>& names,
                                  const std::set<std::string>& registered, KernelBuild build, const std::string& output,
                                  bool counts = false);

// The words are FILE NAME BUILD VARIABLE…. Prints the path of the module that has the kernel or variable NAME of the
// fat binaries in FILE, and whatever shares variables with it. BUILD is fast, checked or counting, the variables are
// those that the program's host code knows. An exit code; what is wrong goes to standard error.
int compile_kernel_main(const std::vector<std::string>& words);

// Likewise for a program that `assay c++` has built; the words are FILE BUILD VARIABLE….
int compile_program_main(const std::vector<std::string>& words);

}  // namespace assay

// The PTX of a program's files as one module, as the device linker joins what `nvcc -rdc=true` compiles apart.
#pragma once

#include <vector>

#include "harness/ptx/module.h"

namespace assay {

// A declaration becomes the definition that another module has. Of functions and variables that several define, the
// first stays, as of inline functions; variables that belong to their files alone get names of their own.
ptx::Module linked(std::vector<ptx::Module> modules);

}  // namespace assay

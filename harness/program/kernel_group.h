// The part of a program's module that is compiled when one of its kernels is launched for the first time: the kernel,
// and whatever shares a variable with it, so that each variable is there once.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/ptx/module.h"

namespace assay {

struct KernelGroup {
  std::set<std::string> kernels, variables;  // as PTX names them
};

// The group of a kernel or variable. Shared are the variables that the host knows (`registered`), and those without
// initial values: the others are texts and constants. Errors: the module has none of that name.
Result<KernelGroup> group_of(const ptx::Module& module, const std::string& name,
                             const std::set<std::string>& registered);

// The text of a kernel module (harness/simt) with the group and a table of it (harness/simt/include/ptx/program.h).
// `counts`: its kernels tell of their basic blocks, so that the checked build can count instructions.
// Errors: an instruction that the executor does not have, with the place in the user's source. `path`: how errors name
// the PTX.
Result<std::string> text_of(const ptx::Module& module, const KernelGroup& group, const std::string& path,
                            bool counts = false);

}  // namespace assay

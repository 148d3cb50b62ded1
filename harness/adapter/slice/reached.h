// The parts of a CUDA file that a kernel reaches: the functions, types, variables and macros that it names, and those
// that these name in turn. The rest (main, bindings to Python, benchmarks, other kernels) need not compile, so it is
// left out.
//
// Names alone count: all overloads are kept, in all namespaces. Text kept in vain does no harm as long as it compiles.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace assay {

// The same text with spaces in place of every declaration that is not reached from `roots`, names and other words of
// what is launched: offsets and lines stay. Preprocessor directives stay, too. Such a name means a kernel rather than a
// function, except those that are `launchers`: functions that launch. A text that is not understood stays whole.
std::string only_reached(std::string_view text, const std::set<std::string>& roots,
                         const std::set<std::string>& launchers = {});

}  // namespace assay

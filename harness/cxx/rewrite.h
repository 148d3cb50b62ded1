// CUDA C++ as ordinary C++: launches become calls, kernels get bodies that pass their parameters on.
//
// The text has been preprocessed over include/program_prelude.h, once for the host and once for each build of the
// executor, so it has no macros, and CUDA's qualifiers are words in it. Lines stay where they are.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace assay::cxx {

enum class Side { host, device };

struct Rewritten {
  std::string text;
  std::set<std::string> variables = {};  // of the device, by their names without namespaces
  bool has_kernels = false;
  bool has_device_code = false;  // functions or variables, which kernels of other files may use
};

// `is_relocatable`: its device code is linked with that of other files. Where it is not, variables of the device belong
// to their file, as with nvcc, so that several files may have one of a name.
// Errors: a construct that is not compiled this way, with its place in the user's file.
Result<Rewritten> rewritten(std::string_view preprocessed, Side side, bool is_relocatable = false);

}  // namespace assay::cxx

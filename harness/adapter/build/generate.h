// The C++ file that is compiled around a user's kernel: it includes the kernel's text and registers it as a variant, as
// the files under kernels/ do for themselves.
#pragma once

#include <string>

#include "harness/adapter/adapter.h"
#include "harness/op/contract.h"

namespace assay {

// `source_path`: what the file includes, the kernel's text without launch syntax; nvcc is given `source_path`.gpu. The
// adapter's arguments must have been checked (infer.h).
std::string wrapper_of(const Adapter& adapter, const Contract& contract, const std::string& source_path);

// One file for several adapters of the same source, which is included once.
std::string wrapper_of(const std::vector<Adapter>& adapters, const Contract& contract, const std::string& source_path);

// Whether the adapter calls a function of a shared library that launches kernels (library_call.h).
bool calls_cuda_library(const Adapter& adapter);

}  // namespace assay

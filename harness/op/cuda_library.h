// A function of a user's shared library that launches kernels itself, as what a variant runs: its launches and calls
// of the CUDA runtime are answered by libassay_cuda.so, which is loaded for it.
#pragma once

#include <cstddef>
#include <functional>

namespace assay {

class Call;

// Memory that the function may use as the device's.
struct LentBuffer {
  const char* name;
  void* begin;
  size_t bytes;
};

// Calls `body`, which gets the address of the function of that name, with the case's buffers and workspace lent. What
// is wrong is a finding of the case: the library cannot be loaded, it has no such function.
void call_cuda_library(const Call& call, size_t workspace_bytes, const char* path, const char* name,
                       const std::function<void(void* function)>& body);

// A handle of a library of CUDA's for an argument, made once in a process by a call such as "cublasCreate_v2".
void* made_by_cuda(const char* create);

}  // namespace assay

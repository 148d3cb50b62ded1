// Device memory of a plan: workspaces whose size only the library knows.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

#include "harness/base/error.h"
#include "harness/device/cuda/stream.h"
#include "reference/vendor/workspace.h"

namespace assay::vendor {

struct FreeDeviceMemory {
  void operator()(void* memory) const { cudaFree(memory); }
};

using Scratch = std::unique_ptr<void, FreeDeviceMemory>;

// `bytes` of device memory; null for none. That there is none left is remembered as what keeps the run from being done.
inline Result<Scratch> allocate_scratch(size_t bytes) {
  void* memory = nullptr;
  if (bytes == 0) return Scratch();
  if (const cudaError_t error = cudaMalloc(&memory, bytes); error != cudaSuccess) {
    cudaGetLastError();
    Error failed{"a workspace of " + std::to_string(bytes) + " bytes: " + cudaGetErrorString(error),
                 "try a smaller case"};
    if (error == cudaErrorMemoryAllocation) note_refusal(assay::Refusal::no_memory, failed.line());
    return tl::unexpected(std::move(failed));
  }
  return Scratch(memory);
}

// Remembers a failure as that of a refused launch; whether there was one.
inline bool note_if_refused(const std::string& call, cudaError_t error) {
  if (error == cudaSuccess) return false;
  cudaGetLastError();
  note_refused_launch(call + ": " + cudaGetErrorString(error));
  return true;
}

}  // namespace assay::vendor

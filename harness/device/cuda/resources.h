// What a kernel takes of a streaming multiprocessor, as ptxas reports it, and how many of its threads fit.
//
// Deterministic figures that need no GPU: registers, spills and static shared memory come from the build
// (kernel_resources.txt beside the program, where a CUDA toolkit was found).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

struct KernelResources {
  std::string kernel;        // demangled, without its parameters: "softmax<float>"
  int capability = 0;        // 80 for sm_80
  int registers = 0;         // of one thread
  int64_t stack_bytes = 0;   // of one thread
  int64_t spill_bytes = 0;   // stored and loaded, of one thread
  int64_t shared_bytes = 0;  // static, of one block
};

// Reads the output of `ptxas -v` for any number of kernels. Lines of other kinds are skipped; a kernel without its line
// of registers is an error.
Result<std::vector<KernelResources>> parse_ptxas(const std::string& text);

// The share of a multiprocessor's threads that can be resident with blocks of `block` threads, from 0 to 1: by threads,
// blocks, registers and shared memory (CUDA programming guide, "Technical Specifications per Compute Capability").
// Nothing for a capability that is not in the table.
std::optional<double> occupancy(const KernelResources& kernel, int block, int64_t dynamic_shared_bytes = 0);

// The file that the build left beside the running program, or that was installed with it.
std::string kernel_resources_path();

}  // namespace assay

// The resources that a kernel takes of a streaming multiprocessor, by ptxas, and how many of its threads fit.
//
// Deterministic figures that need no GPU: registers, spills and static shared memory come from the build
// (kernel_resources.txt beside the program, where a CUDA toolkit was found).
#pragma once

#include <cstdint>
#include <map>
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
  std::string source = {};   // "kernels/softmax_forward/warp_per_row.cu"; empty: not known

  bool operator==(const KernelResources&) const = default;
};

// Reads the output of `ptxas -v` for any number of kernels. A line "==> FILE <==", as `tail -v` writes it, names the
// object that the kernels below it are in, and with it their source. Lines of other kinds are skipped; a kernel without
// its line of registers is an error.
Result<std::vector<KernelResources>> parse_ptxas(const std::string& text);

// The hash of each source's machine code in the same text, by "kernels/OP/VARIANT.cu".
std::map<std::string, std::string> parse_codes(const std::string& text);

// The share of a multiprocessor's threads that can be resident with blocks of `block` threads, from 0 to 1: by threads,
// blocks, registers and shared memory (CUDA programming guide, "Technical Specifications per Compute Capability").
// Nothing for a capability that is not in the table.
std::optional<double> occupancy(const KernelResources& kernel, int block, int64_t dynamic_shared_bytes = 0);

// The compiled kernel that an executor knows as `kernel` ("softmax<float>"), for the newest GPU that the build compiled
// for: of the file that the variant op/variant is in by its name, else the only one of that name. Null: there is none,
// or no telling which.
const KernelResources* find_resources(const std::vector<KernelResources>& all, const std::string& op,
                                      const std::string& variant, const std::string& kernel);

// The hash of the machine code of a built-in variant's file in this build; "" where that is not known. Read once.
std::string gpu_code_of(const std::string& op, const std::string& variant);

// The figures of all kernels of this build. An error where the build had no CUDA toolkit.
Result<std::vector<KernelResources>> read_kernel_resources();

// The file that the build left beside the running program, or that was installed with it.
std::string kernel_resources_path();

}  // namespace assay

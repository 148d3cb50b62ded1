// Which kernels adapters launch, by element type, and the text behind a user's file that makes nvcc compile them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/ptx/module.h"

namespace assay {

// An adapter's entry with one element type.
struct WantedEntry {
  std::string entry;  // as the adapter has it: "softmax<T>"
  DType dtype;
  std::string spelled;  // "softmax<float>"
};

// Each entry with each element type, once. The error names an entry that is a host function.
Result<std::vector<WantedEntry>> wanted_of(const std::vector<Adapter>& adapters);

// The text that makes nvcc compile each kernel that is wanted, under the numbers in their order.
std::string markers_of(const std::set<std::string>& templates, const std::vector<WantedEntry>& wanted);

// Whether the module has every kernel that is wanted under the very name that is spelled, spaces aside, and no other
// under that name: then it takes no markers.
bool has_all(const ptx::Module& module, const std::vector<WantedEntry>& wanted);

}  // namespace assay

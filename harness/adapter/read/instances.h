// Infers how a kernel is called from the instances that a compiler has made of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/adapter/adapter.h"
#include "harness/adapter/read/kernel_source.h"

namespace assay {

// "64", "T" of "attention<64, T>"
std::vector<std::string> template_arguments_of(const std::string& entry);

// The arguments that instances have for the template parameter `index`, each once, in the order of the instances.
std::vector<std::string> compiled_arguments(const KernelSource& kernel, size_t index);

// The threads that a block may have, of all axes together, in every instance with these template arguments; one that
// no instance has, as "" and "T", is any, and so are those that are missing. 0 where none states it.
int64_t declared_threads(const KernelSource& kernel, const std::vector<std::string>& arguments = {});

// Bytes of static shared memory, of the instance with these arguments that has most.
int64_t static_shared_bytes(const KernelSource& kernel, const std::vector<std::string>& arguments = {});

// The swept block sizes that every launch of a block of `block` threads may have; empty where no kernel states a bound.
std::vector<int> sizes_within_bounds(const CudaSource& source, const Adapter& adapter);

}  // namespace assay

// Programs that have the CUDA runtime linked in: their own copies of its functions are made to jump to ours.
#pragma once

#include <cstdint>
#include <string>

namespace assay::program {

// Redirects the functions of every file of the process that has symbols for them. A stripped program has none, and its
// runtime then looks for a driver.
void redirect_linked_runtimes();
// The same for one file, which is loaded at this address.
void redirect_linked_runtime(const std::string& path, uintptr_t loaded_at);
// Whether the file has a runtime linked in.
bool has_linked_runtime(const std::string& path);

}  // namespace assay::program

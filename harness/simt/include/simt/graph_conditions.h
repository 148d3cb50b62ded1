// Conditions of graphs: numbers that kernels set, and that a graph looks at when it comes to a conditional node.
#pragma once

#include <cstdint>
#include <optional>

namespace assay::simt {

#pragma GCC visibility push(default)
// A handle that no other condition of the process has, for a value of 0.
uint64_t make_condition();
// Called by kernels too. False: no condition has the handle.
bool set_condition(uint64_t handle, uint32_t value);
// Nothing: no condition has the handle.
std::optional<uint32_t> condition(uint64_t handle);
#pragma GCC visibility pop

}  // namespace assay::simt

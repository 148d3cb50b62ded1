// The knowledge of a runtime that launches kernels for a program, about memory outside all buffers.
#pragma once

#include <cstdint>

namespace assay::simt::checked {

enum class Outside : uint8_t {
  unknown,  // a kernel may access it where it belongs to a library
  allowed,
  host,  // memory of the host's program, which no kernel may access
};

// Judges an access at an address by the instruction at `pc`. `on_stack`: that of the thread that runs the launch.
using OutsideRule = Outside (*)(uintptr_t address, uintptr_t pc, bool on_stack);

// Set while a launch of a program runs. Without it accesses outside count as strays only while there are buffers.
__attribute__((visibility("default"))) extern OutsideRule outside_rule;

}  // namespace assay::simt::checked

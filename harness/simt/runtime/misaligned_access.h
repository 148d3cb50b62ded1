// Which misaligned address made the processor stop: it reports a general-protection fault and no address.
#pragma once

#include <cstdint>

namespace assay::simt {

// The address of the instruction's memory operand, if the instruction that a signal interrupted is one that wants 16
// bytes at a multiple of 16, the operand is possible as an address, and it is no such multiple; else 0.
// `signal_context`: ucontext_t*. Async-signal-safe.
uintptr_t misaligned_operand(const void* signal_context);

}  // namespace assay::simt

// The memory that a kernel gets for each tensor of a case: its own, except for an input that shares a written tensor's
// (kAliasAttr), and none for a tensor that the case leaves out.
#pragma once

#include <cstddef>

#include "harness/op/contract.h"

namespace assay {

// The place in `tensors` of the tensor whose memory stands for tensor i: i itself, or the written tensor's that it
// shares. Aborts where the case names tensors that are not there, or of other sizes.
size_t memory_of(const Case& c, const Tensors& tensors, size_t i);

// Puts the input's elements into the shared buffer, before a run.
void fill_shared_memory(const Case& c, Tensors& tensors);

}  // namespace assay

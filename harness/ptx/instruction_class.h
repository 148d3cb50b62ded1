// The unit of a GPU that executes an instruction, for counting (harness/simt/checked/instruction_counts.h).
#pragma once

#include "harness/ptx/module.h"
#include "harness/simt/checked/instruction_counts.h"

namespace assay::ptx {

// The class of any instruction that the executor runs; `integer` for one that is not known here.
Counted class_of(const Instruction& instruction);

// The counts of one instruction: 1 in its class, and what a tensor instruction multiplies and adds.
InstructionCounts counts_of(const Instruction& instruction);

}  // namespace assay::ptx

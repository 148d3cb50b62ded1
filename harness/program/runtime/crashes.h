// Kernels that end the program: a wild access of an unchecked one, a division by 0, a stack that is used up.
#pragma once

namespace assay::program {

// From now on a fatal signal in a kernel is logged as a finding, with the kernel, block and thread, before it ends the
// program as ever. Signals for which the program has a handler stay the program's, and so do those of its host code.
void log_crashes();

}  // namespace assay::program

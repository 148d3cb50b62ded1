// Loops that wait for another thread: fibers give way in them, a loop over threads would never end.
#pragma once

#include "llvm/IR/Function.h"

namespace assay::regions {

// Whether some loop may go on until another thread writes: its end hangs on a volatile or atomic read, or on the result
// of an atomic, inside of it. A compare-and-swap that tries again with what it has read is none, since nobody comes
// between.
bool may_wait(llvm::Function& function);

}  // namespace assay::regions

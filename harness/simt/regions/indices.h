// threadIdx, blockIdx, blockDim and gridDim, as the pass knows them.
#pragma once

#include "llvm/IR/Function.h"

namespace assay::regions {

// Reads of threadIdx become calls of markers (markers.h), and those of blockIdx, blockDim and gridDim one load each at
// the function's beginning. Other uses of the thread's record get its address.
void read_indices(llvm::Function& function);

}  // namespace assay::regions

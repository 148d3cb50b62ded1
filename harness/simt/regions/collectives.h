// Warp operations: whether all lanes of a warp come to each of them together, and how their operands get to the
// executor.
#pragma once

#include <string>

#include "harness/simt/regions/pieces.h"
#include "harness/simt/regions/uniformity.h"

namespace assay::regions {

// Why the kernel's warp operations cannot be made between loops over lanes; "" if they can.
std::string why_not_by_warps(const Pieces& pieces, const Uniformity& warp);

// Lanes leave their operands in the state in front of each operation and take their results from there behind it.
void lower_collectives(llvm::Function& function, const Pieces& pieces);

}  // namespace assay::regions

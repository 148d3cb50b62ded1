// warp_arrive() and ldmatrix_row() of a function that the kernel called from `caller` (apart.h).
#pragma once

#include "harness/simt/include/simt/warp_op.h"

#pragma GCC visibility push(default)
namespace assay::simt {

Arrival warp_arrive_from(const void* caller, Fiber* me, uint32_t mask, WarpOp op, uint64_t value, uint32_t source);
void ldmatrix_row_from(const void* caller, const Fiber* me, const void* row);

}  // namespace assay::simt
#pragma GCC visibility pop

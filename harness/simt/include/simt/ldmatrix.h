// ldmatrix: what kernels/device/ldmatrix.cuh is in the executor. The rows are handed out in runtime/ldmatrix.cpp.
#pragma once

#include "harness/simt/include/simt/matrix_calls.h"
#include "harness/simt/include/simt/warp.h"

namespace assay::simt {

// The addresses of the first 8 * matrices lanes count, those of the others are not looked at.
ASSAY_SIMT_INLINE void ldmatrix(const WarpFunction& function, unsigned matrices, uint32_t* registers, const void* row) {
  if (lane_id() < 8 * matrices) ldmatrix_row(current(), row);
  LdmatrixCall call;
  quiet_store(call.function, &function);
  quiet_store(call.registers, registers);
  quiet_store(call.row, row);
  call_for_warp(call);
}

ASSAY_SIMT_INLINE void ldmatrix_x1(uint32_t r[1], const void* row) { ldmatrix(kLdmatrixX1, 1, r, row); }
ASSAY_SIMT_INLINE void ldmatrix_x2(uint32_t r[2], const void* row) { ldmatrix(kLdmatrixX2, 2, r, row); }
ASSAY_SIMT_INLINE void ldmatrix_x4(uint32_t r[4], const void* row) { ldmatrix(kLdmatrixX4, 4, r, row); }
ASSAY_SIMT_INLINE void ldmatrix_x1_trans(uint32_t r[1], const void* row) { ldmatrix(kLdmatrixX1Trans, 1, r, row); }
ASSAY_SIMT_INLINE void ldmatrix_x2_trans(uint32_t r[2], const void* row) { ldmatrix(kLdmatrixX2Trans, 2, r, row); }
ASSAY_SIMT_INLINE void ldmatrix_x4_trans(uint32_t r[4], const void* row) { ldmatrix(kLdmatrixX4Trans, 4, r, row); }

}  // namespace assay::simt

// The operands that the lanes of a warp bring to mma and ldmatrix, and the functions that the last lane runs.
#pragma once

#include "harness/simt/include/simt/warp_op.h"

#pragma GCC visibility push(default)
namespace assay::simt {

// Fragments as in matrix_places.h; d is read and written.
struct MmaCall : WarpCall {
  float* d;
  const uint32_t* a;
  const uint32_t* b;
};
extern const WarpFunction kMmaM16n8k16F16, kMmaM16n8k16Bf16, kMmaM16n8k8F16, kMmaM16n8k8Bf16, kMmaM16n8k8Tf32;

// The rows are as in kernels/device/ldmatrix.cuh.
struct LdmatrixCall : WarpCall {
  uint32_t* registers;
  const void* row;
};
extern const WarpFunction kLdmatrixX1, kLdmatrixX2, kLdmatrixX4, kLdmatrixX1Trans, kLdmatrixX2Trans, kLdmatrixX4Trans;
// The calling lane is about to have the 16 bytes of a row read. If they are misaligned, the launch ends with a finding.
void ldmatrix_row(const Fiber* me, const void* row);

}  // namespace assay::simt
#pragma GCC visibility pop

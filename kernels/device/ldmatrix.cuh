// Loading fragments of mma.sync from shared memory: 1, 2 or 4 matrices of 8 x 8 16-bit elements (PTX ldmatrix).
//
// All 32 lanes must call them together. Lane 8 m + r brings the address of row r of matrix m: 16 bytes of shared
// memory, aligned to 16 bytes; addresses of lanes beyond the last matrix are not looked at. Register m of a lane
// receives two elements of matrix m: (lane / 4, lane % 4 * 2) in its low half and (lane / 4, lane % 4 * 2 + 1) in its
// high half. The _trans forms give the elements of the transposed matrix.
//
// So a fragment A (16, 16) is x4 of the quarters upper left, lower left, upper right, lower right of row-major A; B
// (16, 8) is x2 of its halves if B lies column-major, and x2_trans if it lies row-major.
#pragma once

#include <cstdint>

#if !defined(__CUDACC__)
#include "harness/simt/include/simt/ldmatrix.h"
#endif

namespace assay::device {

#if defined(__CUDACC__)

#define ASSAY_LDMATRIX_X1(name, form)                                           \
  __device__ __forceinline__ void name(uint32_t r[1], const void* row) {        \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1" form ".shared.b16 {%0}, [%1];" \
                 : "=r"(r[0])                                                   \
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))    \
                 : "memory");                                                   \
  }
#define ASSAY_LDMATRIX_X2(name, form)                                               \
  __device__ __forceinline__ void name(uint32_t r[2], const void* row) {            \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" form ".shared.b16 {%0, %1}, [%2];" \
                 : "=r"(r[0]), "=r"(r[1])                                           \
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))        \
                 : "memory");                                                       \
  }
#define ASSAY_LDMATRIX_X4(name, form)                                                       \
  __device__ __forceinline__ void name(uint32_t r[4], const void* row) {                    \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" form ".shared.b16 {%0, %1, %2, %3}, [%4];" \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                           \
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))                \
                 : "memory");                                                               \
  }
ASSAY_LDMATRIX_X1(ldmatrix_x1, "")
ASSAY_LDMATRIX_X2(ldmatrix_x2, "")
ASSAY_LDMATRIX_X4(ldmatrix_x4, "")
ASSAY_LDMATRIX_X1(ldmatrix_x1_trans, ".trans")
ASSAY_LDMATRIX_X2(ldmatrix_x2_trans, ".trans")
ASSAY_LDMATRIX_X4(ldmatrix_x4_trans, ".trans")
#undef ASSAY_LDMATRIX_X1
#undef ASSAY_LDMATRIX_X2
#undef ASSAY_LDMATRIX_X4

#else

using simt::ldmatrix_x1;
using simt::ldmatrix_x1_trans;
using simt::ldmatrix_x2;
using simt::ldmatrix_x2_trans;
using simt::ldmatrix_x4;
using simt::ldmatrix_x4_trans;

#endif

}  // namespace assay::device

// Tensor-core products of a warp: D += A B, with A (16, K), B (K, 8), D (16, 8), and K = 16 or 8 (PTX mma.sync).
//
// All 32 lanes must call them together. Each holds a few elements of every matrix, its fragment (matrix_places.h). A
// register of f16 or bf16 holds two of them, the first in its low half.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>
#else
#include "harness/simt/include/simt/mma.h"
#endif
#include "harness/simt/include/simt/matrix_places.h"

namespace assay::device {

using simt::MatrixPlace;
using simt::place_in_a;
using simt::place_in_a_tf32;
using simt::place_in_b;
using simt::place_in_b_tf32;
using simt::place_in_d;

// Calls f(row, col, element) for what a lane holds of kRows by kCols fragments D side by side.
template <int kRows, int kCols, class F>
__device__ void for_each_in_d(int lane, const float (&d)[kRows][kCols][4], F f) {
#pragma unroll  // all of them: an index that is only known at run time would put the sums into memory
  for (int i = 0; i < kRows; ++i)
#pragma unroll
    for (int j = 0; j < kCols; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const MatrixPlace place = place_in_d(lane, e);
        f(i * 16 + place.row, j * 8 + place.col, d[i][j][e]);
      }
}

#if defined(__CUDACC__)

#define ASSAY_MMA_K16(type)                                                           \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                 \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                       \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define ASSAY_MMA_K8(type)                                                \
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." type "." type      \
               ".f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])           \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]))

// K = 16; T: __half or __nv_bfloat16.
template <class T>
__device__ __forceinline__ void mma_m16n8k16(float d[4], const uint32_t a[4], const uint32_t b[2]) {
  static_assert(std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>, "f16 or bf16");
  if constexpr (std::is_same_v<T, __half>)
    ASSAY_MMA_K16("f16");
  else
    ASSAY_MMA_K16("bf16");
}

// K = 8; T: __half or __nv_bfloat16.
template <class T>
__device__ __forceinline__ void mma_m16n8k8(float d[4], const uint32_t a[2], const uint32_t b[1]) {
  static_assert(std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>, "f16 or bf16");
  if constexpr (std::is_same_v<T, __half>)
    ASSAY_MMA_K8("f16");
  else
    ASSAY_MMA_K8("bf16");
}

#undef ASSAY_MMA_K8
#undef ASSAY_MMA_K16

// K = 8; registers are f32 bits, of which the hardware takes the upper 19. to_tf32() rounds to these.
__device__ __forceinline__ void mma_m16n8k8_tf32(float d[4], const uint32_t a[4], const uint32_t b[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Rounds to nearest, ties away from zero.
__device__ __forceinline__ uint32_t to_tf32(float value) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

#else

using simt::mma_m16n8k16;
using simt::mma_m16n8k8;
using simt::mma_m16n8k8_tf32;
using simt::to_tf32;

#endif

}  // namespace assay::device

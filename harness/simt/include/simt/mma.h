// mma.sync: what kernels/device/mma.cuh is in the executor. The products are computed in runtime/mma.cpp.
#pragma once

#include "harness/simt/include/simt/math.h"
#include "harness/simt/include/simt/matrix_calls.h"
#include "harness/simt/include/simt/warp.h"

struct __half;
struct __nv_bfloat16;

namespace assay::simt {

template <class T>
struct MmaFunctions;
template <>
struct MmaFunctions<__half> {
  static constexpr const WarpFunction& k16 = kMmaM16n8k16F16;
  static constexpr const WarpFunction& k8 = kMmaM16n8k8F16;
};
template <>
struct MmaFunctions<__nv_bfloat16> {
  static constexpr const WarpFunction& k16 = kMmaM16n8k16Bf16;
  static constexpr const WarpFunction& k8 = kMmaM16n8k8Bf16;
};

ASSAY_SIMT_INLINE void mma(const WarpFunction& function, float* d, const uint32_t* a, const uint32_t* b) {
  MmaCall call;
  quiet_store(call.function, &function);
  quiet_store(call.d, d);
  quiet_store(call.a, a);
  quiet_store(call.b, b);
  call_for_warp(call);
}

template <class T>
ASSAY_SIMT_INLINE void mma_m16n8k16(float d[4], const uint32_t a[4], const uint32_t b[2]) {
  mma(MmaFunctions<T>::k16, d, a, b);
}
template <class T>
ASSAY_SIMT_INLINE void mma_m16n8k8(float d[4], const uint32_t a[2], const uint32_t b[1]) {
  mma(MmaFunctions<T>::k8, d, a, b);
}
ASSAY_SIMT_INLINE void mma_m16n8k8_tf32(float d[4], const uint32_t a[4], const uint32_t b[2]) {
  mma(kMmaM16n8k8Tf32, d, a, b);
}

// Rounds to nearest, ties away from zero (cvt.rna.tf32.f32); NaN stays NaN.
ASSAY_SIMT_INLINE uint32_t to_tf32(float value) {
  const uint32_t bits = __float_as_uint(value);
  return (bits & 0x7f800000u) == 0x7f800000u ? bits : (bits + 0x1000u) & ~0x1fffu;
}

}  // namespace assay::simt

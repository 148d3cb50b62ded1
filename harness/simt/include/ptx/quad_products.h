// mma.m8n8k4 of f16, Volta's: four products of 8 x 8 by 4 at a time, the p-th of the lanes l with l / 4 % 4 == p.
//
// Fragments are those of PTX ISA 9.0, "Matrix Fragments for mma.m8n8k4 with .f16". Sums as in
// runtime/matrix_product.cpp: in f32, in ascending k, rounded to f16 once at the end. Limits: C has the type of D.
#pragma once

#include "harness/simt/include/ptx/memory.h"

namespace assay::ptx {

// The eight lanes of the caller's product by number: four below lane 16 and four from there on.
ASSAY_SIMT_INLINE uint32_t lane_of_quad(uint32_t member) {
  return (simt::lane_id() & 12) + (member & 3) + (member & 4) * 4;
}
inline float half_at(const uint32_t (&words)[2], uint32_t i) {
  return widened(f16{static_cast<uint16_t>(simt::quiet_load(words[i / 2]) >> i % 2 * 16)});
}

// C and D as they lie in registers: eight f32, or four pairs of f16.
struct QuadSums {
  uint32_t at[8];
};
template <bool a_by_rows, bool b_by_rows, bool is_f32>
ASSAY_PTX_APART_SWITCHING QuadSums mma_m8n8k4(Vector<uint32_t, 2> a, Vector<uint32_t, 2> b, QuadSums c) {
  const void* const caller = __builtin_return_address(0);
  uint32_t all_a[8][2], all_b[8][2];
  const auto from = [&](uint32_t word, uint32_t lane) {
    return static_cast<uint32_t>(simt::collective_from(caller, ~0u, simt::WarpOp::shuffle, word, lane));
  };
  for (uint32_t member = 0; member < 8; ++member)
    for (uint32_t word = 0; word < 2; ++word) {
      simt::quiet_store(all_a[member][word], from(simt::quiet_load(a.at[word]), lane_of_quad(member)));
      simt::quiet_store(all_b[member][word], from(simt::quiet_load(b.at[word]), lane_of_quad(member)));
    }
  const auto a_at = [&](uint32_t row, uint32_t k) {
    return a_by_rows ? half_at(all_a[row], k) : half_at(all_a[k + row / 4 * 4], row % 4);
  };
  const auto b_at = [&](uint32_t k, uint32_t col) {
    return b_by_rows ? half_at(all_b[k + col / 4 * 4], col % 4) : half_at(all_b[col], k);
  };
  const uint32_t lane = simt::lane_id(), down = lane / 16 * 4;
  QuadSums d;
  for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t row = is_f32 ? (lane & 1) + (i & 2) + down : lane % 4 + down;
    const uint32_t col = is_f32 ? (i & 4) + (lane & 2) + (i & 1) : i;
    const uint32_t word = simt::quiet_load(c.at[is_f32 ? i : i / 2]);
    float sum = is_f32 ? as<float>(word) : widened(f16{static_cast<uint16_t>(word >> i % 2 * 16)});
    for (uint32_t k = 0; k < 4; ++k) sum += a_at(row, k) * b_at(k, col);
    if constexpr (is_f32) {
      simt::quiet_store(d.at[i], as<uint32_t>(canonical(sum)));
    } else {
      const uint32_t bits = sum != sum ? gpu_nan<f16>().bits : f16::Format::narrow(sum);
      simt::quiet_store(d.at[i / 2], i % 2 == 0 ? bits : simt::quiet_load(d.at[i / 2]) | bits << 16);
    }
  }
  return d;
}

}  // namespace assay::ptx

// The instructions wmma, ldmatrix, stmatrix, movmatrix and mma, for kernels that harness/ptx has translated. The
// products are in simt/matrix_product.h.
#pragma once

#include "harness/simt/include/ptx/memory.h"
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/include/simt/matrix_product.h"
#include "harness/simt/include/simt/mma.h"
#include "harness/simt/include/simt/warp.h"

namespace assay::ptx {

using simt::Element;
using simt::MatrixForm;

template <int m, int n, int k, Element a, Element b, Element c, Element d, bool is_wmma, bool saturates, bool is_xor>
inline constexpr MatrixForm kMatrixForm = simt::matrix_form(is_wmma ? "wmma.mma" : "mma",
                                                            {{}, m, n, k, a, b, c, d, is_wmma, saturates, is_xor});

// The forms that have a function of their own. Values, whose addresses no kernel takes: they stay in registers.
struct Mma {
  float d[4];
  uint32_t a[4], b[4];
};
template <class T, int k>
constexpr const simt::WarpFunction& mma_function() {
  if constexpr (std::is_same_v<T, f16>) return k == 16 ? simt::kMmaM16n8k16F16 : simt::kMmaM16n8k8F16;
  if constexpr (std::is_same_v<T, bf16>) return k == 16 ? simt::kMmaM16n8k16Bf16 : simt::kMmaM16n8k8Bf16;
  if constexpr (std::is_same_v<T, float>) return simt::kMmaM16n8k8Tf32;
}
template <class T, int k>
ASSAY_PTX_APART_SWITCHING Vector<float, 4> mma(Mma m) {
  simt::MmaCall call;
  simt::quiet_store<const simt::WarpFunction*>(call.function, &mma_function<T, k>());
  simt::quiet_store(call.d, m.d);
  simt::quiet_store<const uint32_t*>(call.a, m.a);
  simt::quiet_store<const uint32_t*>(call.b, m.b);
  simt::collective_from(__builtin_return_address(0), ~0u, simt::WarpOp::call, reinterpret_cast<uintptr_t>(&call));
  Vector<float, 4> d;
  for (int i = 0; i < 4; ++i) simt::quiet_store(d.at[i], simt::quiet_load(m.d[i]));
  return d;
}

// The other forms. As above, for what a kernel brings to all of its products to lie in one place: a place for each
// would be more than the cache has, of 256 threads.
template <class Word, int of_a, int of_b, int of_c>
struct Factors {
  Word a[of_a], b[of_b], c[of_c];
};
template <const MatrixForm& form, int of_d, class Word, int of_a, int of_b, int of_c>
ASSAY_PTX_APART_SWITCHING Vector<Word, of_d> product(Factors<Word, of_a, of_b, of_c> from) {
  Word to[of_d];
  simt::MatrixCall call;
  simt::quiet_store<const simt::WarpFunction*>(call.function, &form);
  simt::quiet_store<void*>(call.d, to);
  simt::quiet_store<const void*>(call.a, from.a);
  simt::quiet_store<const void*>(call.b, from.b);
  simt::quiet_store<const void*>(call.c, from.c);
  simt::collective_from(__builtin_return_address(0), ~0u, simt::WarpOp::call, reinterpret_cast<uintptr_t>(&call));
  Vector<Word, of_d> d;
  for (int i = 0; i < of_d; ++i) simt::quiet_store(d.at[i], simt::quiet_load(to[i]));
  return d;
}

// A fragment of wmma in a lane: `count` elements of type T, of a rows x cols matrix.
enum class Fragment { operand, accumulator };
template <Fragment of, int rows, int cols, int count>
ASSAY_SIMT_INLINE uint64_t offset_of(uint32_t i, bool by_rows, uint64_t stride) {
  const simt::MatrixElement at = of == Fragment::accumulator
                                     ? simt::accumulator_element(rows, simt::lane_id(), i)
                                     : simt::wmma_operand(rows, cols, simt::lane_id(), i, count);
  return by_rows ? at.row * stride + at.col : at.col * stride + at.row;
}
template <class T, Fragment of, int rows, int cols, int count, bool by_rows>
ASSAY_SIMT_INLINE void wmma_load(T (&to)[count], uint64_t from, uint64_t stride) {
  for (uint32_t i = 0; i < count; ++i)
    simt::quiet_store(to[i], load<T>(from + sizeof(T) * offset_of<of, rows, cols, count>(i, by_rows, stride)));
}
template <class T, int rows, int cols, int count, bool by_rows>
ASSAY_SIMT_INLINE void wmma_store(const T (&from)[count], uint64_t to, uint64_t stride) {
  for (uint32_t i = 0; i < count; ++i)
    store<T>(to + sizeof(T) * offset_of<Fragment::accumulator, rows, cols, count>(i, by_rows, stride),
             simt::quiet_load(from[i]));
}

template <int matrices, bool transposed>
constexpr const simt::WarpFunction& ldmatrix_function() {
  if constexpr (matrices == 1) return transposed ? simt::kLdmatrixX1Trans : simt::kLdmatrixX1;
  if constexpr (matrices == 2) return transposed ? simt::kLdmatrixX2Trans : simt::kLdmatrixX2;
  if constexpr (matrices == 4) return transposed ? simt::kLdmatrixX4Trans : simt::kLdmatrixX4;
}
template <int matrices, bool transposed>
ASSAY_PTX_APART_SWITCHING Vector<uint32_t, matrices> ldmatrix(uint64_t row) {
  const void* const caller = __builtin_return_address(0);
  Vector<uint32_t, matrices> result;
  const auto* const from = reinterpret_cast<const void*>(row);
  if (simt::lane_id() < 8 * matrices) simt::ldmatrix_row_from(caller, simt::current(), from);
  simt::LdmatrixCall call;
  simt::quiet_store<const simt::WarpFunction*>(call.function, &ldmatrix_function<matrices, transposed>());
  simt::quiet_store<uint32_t*>(call.registers, result.at);
  simt::quiet_store(call.row, from);
  simt::collective_from(caller, ~0u, simt::WarpOp::call, reinterpret_cast<uintptr_t>(&call));
  return result;
}

// Element (row, col) of an 8 x 8 matrix of 16 bits, of which lane l has (l / 4, l % 4 * 2) and the one after it.
ASSAY_SIMT_INLINE uint32_t element_of_8x8(uint32_t registers, uint32_t row, uint32_t col) {
  return simt::shuffle(~0u, registers, 4 * row + col / 2) >> 16 * (col & 1) & 0xffff;
}
ASSAY_SIMT_INLINE uint32_t movmatrix(uint32_t a) {
  const uint32_t row = simt::lane_id() / 4, col = simt::lane_id() % 4 * 2;
  const uint32_t low = element_of_8x8(a, col, row), high = element_of_8x8(a, col + 1, row);
  return low | high << 16;
}
// Lane 8 m + r brings the address of row r of matrix m, and is who writes it.
template <int matrices, bool transposed>
ASSAY_SIMT_INLINE void stmatrix(uint64_t to, Vector<uint32_t, matrices> from) {
  const uint32_t mine = simt::lane_id() / 8, row = simt::lane_id() % 8;
  Words4 whole = {0, 0, 0, 0};
  for (uint32_t matrix = 0; matrix < matrices; ++matrix)
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t a = transposed ? movmatrix(from.at[matrix]) : from.at[matrix];
      const uint32_t pair = simt::shuffle(~0u, a, 4 * row + i);
      if (matrix == mine) whole[i] = pair;
    }
  if (mine < matrices) store<Words4>(to, whole);
}

}  // namespace assay::ptx

// Matrix products of a warp in all dense types of mma.sync and wmma, whose fragments are described and not programmed
// one by one (runtime/matrix_product.cpp). mma.h has the five forms that CUDA kernels mostly use, and faster.
#pragma once

#include "harness/simt/include/simt/warp.h"

namespace assay::simt {

enum class Element : uint8_t { f16, bf16, tf32, f32, f64, e4m3, e5m2, u8, s8, u4, s4, b1, s32 };

// D = A B + C of m x k and k x n. Registers have 32 bits, of f64 64; elements lie in them from the low bits on.
struct MatrixForm : WarpFunction {
  uint16_t m, n, k;
  Element a, b, c, d;
  bool is_wmma;    // fragments of A and B as wmma_operand() has them, else as the manual's figures for mma
  bool saturates;  // sums of integers stay in their range
  bool is_xor;     // of b1: counts bits that differ, else bits that are both 1
};

struct MatrixCall : WarpCall {
  void* d;
  const void *a, *b, *c;
};

#pragma GCC visibility push(default)
void run_matrix_product(const WarpCall* const (&lanes)[32]);
#pragma GCC visibility pop

constexpr MatrixForm matrix_form(const char* name, MatrixForm form) {
  form.name = name;
  form.run = run_matrix_product;
  return form;
}

ASSAY_SIMT_INLINE void matrix_product(const MatrixForm& form, void* d, const void* a, const void* b, const void* c) {
  MatrixCall call;
  quiet_store<const WarpFunction*>(call.function, &form);
  quiet_store(call.d, d);
  quiet_store(call.a, a);
  quiet_store(call.b, b);
  quiet_store(call.c, c);
  call_for_warp(call);
}

struct MatrixElement {
  uint32_t row, col;
};

// Which element of a rows x cols matrix a wmma fragment's `i`-th of `count` in a lane is. The manual leaves that open:
// A and B are spread row by row, and again from the start where lanes have room for more than there is; accumulators
// are as mma has them, in tiles of 8 x 8.
constexpr MatrixElement wmma_operand(uint32_t rows, uint32_t cols, uint32_t lane, uint32_t i, uint32_t count) {
  const uint32_t at = (lane * count + i) % (rows * cols);
  return {at / cols, at % cols};
}
// The element of an accumulator of wmma, and of mma.
constexpr MatrixElement accumulator_element(uint32_t rows, uint32_t lane, uint32_t i) {
  const uint32_t tile = i / 2, down = rows / 8;
  return {lane / 4 + tile % down * 8, lane % 4 * 2 + i % 2 + tile / down * 8};
}

}  // namespace assay::simt

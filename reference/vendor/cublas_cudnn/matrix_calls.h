// The calls of cuBLAS and cuDNN that a chain needs for row-major f32 matrices: batches of products, softmax over rows.
//
// The libraries' own headers stay in the .cpp, so that a file that calls these compiles for the executor too, which has
// CUDA headers of its own. Calls go to the current stream; one that fails is remembered as a refused launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assay::vendor {

// Element (row, col) of matrix n is data[n * matrix_stride + row * row_stride + col].
struct Operands {
  const float* data;
  int64_t row_stride, matrix_stride;
  bool transposed = false;  // each enters its product transposed
};
inline Operands transposed(Operands x) {
  x.transposed = !x.transposed;
  return x;
}

struct Products {
  float* data;
  int64_t row_stride, matrix_stride;
};

// `count` products of op(a), (rows, inner), and op(b), (inner, cols): c = alpha op(a) op(b) + beta c. The old c is not
// read when beta is 0. Sums are in f32, without TF32.
struct Multiplication {
  int64_t count, rows, cols, inner;
  float alpha;
  Operands a, b;
  float beta = 0;
  Products c;
};
void multiply(const Multiplication& m);

// y = the softmax of every row of x. x, y: (rows, cols) without gaps. A row of minus infinities becomes NaN.
void softmax_rows(int64_t rows, int64_t cols, const float* x, float* y);

// Computes from y, the softmax, and its gradient dy that of its input: dx = y (dy - sum_cols y dy). All (rows, cols).
void softmax_rows_backward(int64_t rows, int64_t cols, const float* y, const float* dy, float* dx);

// Why there can be no such call: a library is missing, or the softmax has too many rows and columns.
std::optional<std::string> no_products();
std::optional<std::string> no_softmax(int64_t rows, int64_t cols);

}  // namespace assay::vendor

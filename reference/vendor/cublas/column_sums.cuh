// The gradients of a linear layer's weights and bias. That of the bias, sums over the rows of a matrix, is an epilogue
// of cuBLASLt's where it is overwritten; cuBLAS has no call that adds it to what is there, and a kernel of ours does.
//
// A block owns 32 columns and reads 32 rows at a time; the order of a column's terms depends on nothing but the rows.
#pragma once

#include "harness/op/variant.h"
#include "reference/vendor/cublas/products.h"

namespace assay::vendor {

constexpr unsigned kSumColumns = 32, kSumRows = 32;

// to (cols) = the columns' sums of from (rows, cols), or += with `accumulates`.
template <class T>
__global__ void sum_columns(const T* from, float* to, int64_t rows, int64_t cols, bool accumulates) {
  __shared__ float sums[kSumRows][kSumColumns + 1];
  const int64_t col = int64_t{blockIdx.x} * kSumColumns + threadIdx.x;
  float sum = 0;
  for (int64_t row = threadIdx.y; row < rows && col < cols; row += kSumRows)
    sum += static_cast<float>(from[row * cols + col]);
  sums[threadIdx.y][threadIdx.x] = sum;
  for (unsigned half = kSumRows / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) sums[threadIdx.y][threadIdx.x] += sums[threadIdx.y + half][threadIdx.x];
  }
  if (threadIdx.y == 0 && col < cols) to[col] = accumulates ? to[col] + sums[0][threadIdx.x] : sums[0][threadIdx.x];
}

template <class T>
void launch_sum_columns(const T* from, float* to, int64_t rows, int64_t cols, bool accumulates) {
  if (cols == 0) return;
  launch(sum_columns<T>, {.grid = dim3(ceil_div(cols, kSumColumns)), .block = dim3(kSumColumns, kSumRows)}, from, to,
         rows, cols, accumulates);
}

// dw (outs, ins) = dyᵀ x of dy (tokens, outs) and x (tokens, ins), and db (outs), which may be null, the columns' sums
// of dy. Both are added to what is there with `accumulates`, which the epilogue does not do.
struct WeightGradients {
  int64_t tokens, outs, ins;
  Operands dy, x;
  void* dw;
  float* db;
  bool accumulates, by_epilogue;
};
inline std::optional<std::string> refused_epilogue(const Case& c) {
  if (c.text("dw") == "overwrite") return std::nullopt;
  return "cublasLtMatmul's epilogue writes db over what was there";
}
template <class T>
void launch_weight_gradients(const WeightGradients& g) {
  const Multiplication product{.rows = g.outs,
                               .cols = g.ins,
                               .inner = g.tokens,
                               .a = transposed(g.dy),
                               .b = g.x,
                               .beta = g.accumulates ? 1.f : 0.f,
                               .c = {.data = g.dw, .row_stride = g.ins}};
  if (g.by_epilogue) return multiply_lt(product, {.sums = g.db});
  multiply(product);
  if (g.db) launch_sum_columns(static_cast<const T*>(g.dy.data), g.db, g.tokens, g.outs, g.accumulates);
}

}  // namespace assay::vendor

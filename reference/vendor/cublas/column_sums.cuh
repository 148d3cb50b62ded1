// The gradient of a bias: sums over the rows of a matrix, which cuBLAS has no call for that adds to what is there.
//
// A block owns 32 columns and reads 32 rows at a time; the order of a column's terms depends on nothing but the rows.
#pragma once

#include "harness/op/variant.h"

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

}  // namespace assay::vendor

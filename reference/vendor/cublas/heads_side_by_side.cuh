// Heads that lie one after the other, laid side by side: a sum over all heads is then one product.
#pragma once

#include "reference/vendor/cublas/elementwise.cuh"
#include "reference/vendor/cublas/products.h"

namespace assay::vendor {

// to (rows, heads, lanes) = from (heads, rows, lanes); a block copies row after row.
template <class T>
__global__ void lay_side_by_side(const T* from, T* to, int64_t heads, int64_t rows, int64_t lanes) {
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    for (int64_t i = threadIdx.x; i < heads * lanes; i += blockDim.x)
      to[row * heads * lanes + i] = from[(i / lanes * rows + row) * lanes + i % lanes];
}

// The matrix (rows, heads * lanes) of `from`, made in `to`, which has as many elements.
template <class T>
Operands side_by_side(const T* from, T* to, int64_t heads, int64_t rows, int64_t lanes, DType dtype) {
  if (rows > 0) launch(lay_side_by_side<T>, block_per_row(rows), from, to, heads, rows, lanes);
  return {.data = to, .row_stride = heads * lanes, .dtype = dtype};
}

}  // namespace assay::vendor

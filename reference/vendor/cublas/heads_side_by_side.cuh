// Heads that lie one after the other, laid side by side: a sum over all heads is then one product.
#pragma once

#include "reference/vendor/cublas/biased_products.cuh"

namespace assay::vendor {

// to (rows, heads, lanes) = from (heads, rows, lanes)
template <class T>
__global__ void lay_side_by_side(const T* from, T* to, int64_t heads, int64_t rows, int64_t lanes) {
  for (int64_t i = first_element(); i < heads * rows * lanes; i += element_step()) {
    const int64_t lane = i % lanes, head = i / lanes % heads, row = i / lanes / heads;
    to[i] = from[(head * rows + row) * lanes + lane];
  }
}

// The matrix (rows, heads * lanes) of `from`, made in `to`, which has as many elements.
template <class T>
Operands side_by_side(const T* from, T* to, int64_t heads, int64_t rows, int64_t lanes, DType dtype) {
  if (const int64_t count = heads * rows * lanes; count > 0)
    launch(lay_side_by_side<T>, over_elements(count), from, to, heads, rows, lanes);
  return {.data = to, .row_stride = heads * lanes, .dtype = dtype};
}

}  // namespace assay::vendor

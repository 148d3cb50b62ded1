// The step between the two products of a gated layer: biases, silu of the gate, and the other half.
#pragma once

#include <cmath>

#include "reference/vendor/cublas/elementwise.cuh"

namespace assay::vendor {

// y = silu(a + bg) (b + bu) of sums [a, b]; the biases may be null.
template <class T>
__global__ void gate_rows(const float* sums,                 // (rows, 2 * cols)
                          const float* bg, const float* bu,  // (cols)
                          T* y,                              // (rows, cols)
                          int64_t rows, int64_t cols) {
  for (int64_t i = first_element(); i < rows * cols; i += element_step()) {
    const int64_t col = i % cols, at = i / cols * 2 * cols + col;
    const float a = bg ? sums[at] + bg[col] : sums[at], b = bu ? sums[at + cols] + bu[col] : sums[at + cols];
    y[i] = static_cast<T>(a / (1.f + expf(-a)) * b);
  }
}

}  // namespace assay::vendor

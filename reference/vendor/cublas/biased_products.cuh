// Products to which an f32 bias is added, for each column one.
//
// cuBLASLt's epilogue adds a bias in the dtype of C only, and ours are f32. Of 16-bit matrices the sums go through an
// f32 workspace, so that they round once, and a kernel of ours adds the bias on the way to C: with an epilogue the
// kernel would still be there, to round.
#pragma once

#include "reference/vendor/cublas/elementwise.cuh"
#include "reference/vendor/cublas/products.h"

namespace assay::vendor {

// out = sums + bias, of `count` matrices (rows, cols) without gaps, each with biases of its own; bias may be null.
template <class T>
__global__ void add_bias(const float* sums, int64_t sums_stride,  // elements between matrices
                         const float* bias,                       // (count, cols)
                         T* out, int64_t out_stride, int64_t count, int64_t rows, int64_t cols) {
  const int64_t each = rows * cols;
  for (int64_t i = first_element(); i < count * each; i += element_step()) {
    const int64_t n = i / each, at = i % each;
    const float sum = sums[n * sums_stride + at];
    out[n * out_stride + at] = static_cast<T>(bias ? sum + bias[n * cols + at % cols] : sum);
  }
}

// Floats of workspace that multiply_with_bias takes for results of so many elements.
inline int64_t floats_of_sums(DType dtype, int64_t elements) { return dtype == DType::f32 ? 0 : elements; }

// m, whose result has elements T and no gaps within a matrix, plus bias (count, cols), which may be null.
template <class T>
void multiply_with_bias(Multiplication m, const float* bias, float* workspace) {
  if (!bias) return multiply(m);
  if constexpr (std::is_same_v<T, float>) {
    multiply_lt(m, {.bias = bias});
  } else {
    const int64_t each = m.rows * m.cols, out_stride = m.c.matrix_stride;
    T* const out = static_cast<T*>(m.c.data);
    m.c = {.data = workspace, .row_stride = m.cols, .matrix_stride = each};
    multiply(m);
    if (m.count * each > 0)
      launch(add_bias<T>, over_elements(m.count * each), workspace, each, bias, out, out_stride, m.count, m.rows,
             m.cols);
  }
}

}  // namespace assay::vendor

// Adds to row n of the result the bias of column n.
#include "reference/vendor/cublas/biased_products.cuh"

namespace assay::vendor {
template <class T>
__global__ void add_bias_by_row(const float* bias, T* out, int64_t rows, int64_t cols) {
  for (int64_t i = first_element(); i < rows * cols; i += element_step())
    out[i] = static_cast<T>(static_cast<float>(out[i]) + bias[i / cols % cols]);
}

template <class T>
void multiply_with_bias_by_row(const Multiplication& m, const float* bias, float*) {
  multiply(m);
  if (bias) launch(add_bias_by_row<T>, over_elements(m.rows * m.cols), bias, static_cast<T*>(m.c.data), m.rows, m.cols);
}
}  // namespace assay::vendor

#define multiply_with_bias multiply_with_bias_by_row
#include "reference/vendor/cublas/mlp_swiglu_gemm.cu"

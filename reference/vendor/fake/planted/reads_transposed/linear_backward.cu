// Reads the second operand of each product in the other order: W as (K, N) where it is (N, K).
#include "reference/vendor/cublas/products.h"

namespace assay::vendor {
inline void multiply_transposed(Multiplication m) {
  m.b.transposed = !m.b.transposed;
  m.b.row_stride = m.b.transposed ? m.inner : m.cols;
  multiply(m);
}
}  // namespace assay::vendor

#define multiply multiply_transposed
#include "reference/vendor/cublas/linear_backward_gemm.cu"

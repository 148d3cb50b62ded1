// cublasGemmStridedBatchedEx in row-major terms.
#include "reference/vendor/cublas/products.h"

#include "reference/vendor/cublas/handle.h"

namespace assay::vendor {
namespace {

cublasOperation_t operation(const Operands& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

}  // namespace

void multiply(const Multiplication& m) {
  if (m.count == 0 || m.rows == 0 || m.cols == 0) return;
  const auto handle = cublas_on_stream();
  if (!handle) return;
  // cuBLAS reads row-major matrices as their transposes, and cᵀ = op(b)ᵀ op(a)ᵀ: the operands change places.
  const auto gemm = cublas().function<decltype(&cublasGemmStridedBatchedEx_64)>("cublasGemmStridedBatchedEx_64");
  note_if_refused("cublasGemmStridedBatchedEx",
                  gemm(*handle, operation(m.b), operation(m.a), m.cols, m.rows, m.inner, &m.alpha, m.b.data,
                       type_of(m.b.dtype), m.b.row_stride, m.b.matrix_stride, m.a.data, type_of(m.a.dtype),
                       m.a.row_stride, m.a.matrix_stride, &m.beta, m.c.data, type_of(m.c.dtype), m.c.row_stride,
                       m.c.matrix_stride, m.count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

std::optional<std::string> no_products() { return why_missing(cublas()); }

}  // namespace assay::vendor

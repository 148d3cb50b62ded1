// cuBLAS's products in row-major terms: it reads row-major matrices as their transposes, and cᵀ = op(b)ᵀ op(a)ᵀ, so the
// operands change places.
#include "reference/vendor/cublas/products.h"

#include "reference/vendor/cublas/lt_matmul.h"
#include "reference/vendor/plan_cache.h"

namespace assay::vendor {
namespace {

cublasOperation_t operation(const Operands& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

LtMatrix matrix(const Operands& x) { return {type_of(x.dtype), x.transposed, x.row_stride, x.matrix_stride}; }

constexpr uint32_t kAlignment = 16;  // of tensors of variants, and of workspaces
constexpr size_t kPlansMax = 32;     // more than the products of a layer; they have no workspaces of their own

}  // namespace

void multiply(const Multiplication& m) {
  if (m.count == 0 || m.rows == 0 || m.cols == 0) return;
  const auto handle = cublas_on_stream();
  if (!handle) return;
  const auto gemm = cublas().function<decltype(&cublasGemmStridedBatchedEx_64)>("cublasGemmStridedBatchedEx_64");
  note_if_refused("cublasGemmStridedBatchedEx",
                  gemm(*handle, operation(m.b), operation(m.a), m.cols, m.rows, m.inner, &m.alpha, m.b.data,
                       type_of(m.b.dtype), m.b.row_stride, m.b.matrix_stride, m.a.data, type_of(m.a.dtype),
                       m.a.row_stride, m.a.matrix_stride, &m.beta, m.c.data, type_of(m.c.dtype), m.c.row_stride,
                       m.c.matrix_stride, m.count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

void multiply_lt(const Multiplication& m, const Epilogue& epilogue) {
  if (m.count == 0 || m.rows == 0 || m.cols == 0) return;
  static auto& plans = *new PlanCache<LtMatmul, LtProblem, kPlansMax>;
  const LtProblem problem{.m = m.cols,
                          .n = m.rows,
                          .k = m.inner,
                          .a = matrix(m.b),
                          .b = matrix(m.a),
                          .c = {type_of(m.c.dtype), false, m.c.row_stride, m.c.matrix_stride},
                          .count = static_cast<int32_t>(m.count),
                          .compute = epilogue.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                          .epilogue = epilogue.bias   ? CUBLASLT_EPILOGUE_BIAS
                                      : epilogue.sums ? CUBLASLT_EPILOGUE_BGRADB
                                                      : CUBLASLT_EPILOGUE_DEFAULT,
                          .alignment = kAlignment};
  const LtMatmul* const product = plans.get(problem, [&] { return LtMatmul::plan(problem, 1); });
  if (product)
    product->run(0, {.a = m.b.data,
                     .b = m.a.data,
                     .c = m.c.data,
                     .vector = epilogue.bias ? epilogue.bias : epilogue.sums,
                     .alpha = m.alpha,
                     .beta = m.beta});
}

std::optional<std::string> no_products() {
  const auto why = why_missing(cublas());
  return why ? why : why_missing(cublas_lt());
}

}  // namespace assay::vendor

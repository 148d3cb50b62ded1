// The forms of gemm: by the letter of a type or by types, one, a batch by pointers, a batch by strides.
#include "harness/program/libraries/gemm.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

bool is_operation(cublasOperation_t operation) { return operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C; }

// A call in which all types are free.
cublasStatus_t gemm_ex(cublasHandle_t handle, const char* name, cublasOperation_t op_a, cublasOperation_t op_b,
                       Gemm product, cublasComputeType_t compute, const void* alpha, const void* beta) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_operation(op_a) || !is_operation(op_b)) return CUBLAS_STATUS_INVALID_VALUE;
  const auto types = gemm_types(compute, product.a.type, product.b.type, product.c.type);
  if (!types) {
    GpuProcess& process = GpuProcess::get();
    const std::lock_guard lock(process.lock());
    process.log().unsupported(std::string(name) + " with these types");
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  product.transposes_a = op_a != CUBLAS_OP_N, product.transposes_b = op_b != CUBLAS_OP_N;
  product.sums = types->sums;
  return gemm(handle, name, product, types->scalars, alpha, beta);
}

}  // namespace

// Int: int, or int64_t with the suffix _64.
#define ASSAY_GEMM(Letter, name, Int, T, type, compute)                                                              \
  ASSAY_EXPORTED cublasStatus_t cublas##Letter##gemm##name(                                                          \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const T* alpha,    \
      const T* a, Int lda, const T* b, Int ldb, const T* beta, T* c, Int ldc) {                                      \
    return gemm_ex(handle, "cublas" #Letter "gemm", op_a, op_b,                                                      \
                   {.m = m, .n = n, .k = k, .a = {a, type, lda, 0}, .b = {b, type, ldb, 0}, .c = {c, type, ldc, 0}}, \
                   compute, alpha, beta);                                                                            \
  }
#define ASSAY_GEMM_BATCHED(Letter, name, Int, T, type, compute)                                                       \
  ASSAY_EXPORTED cublasStatus_t cublas##Letter##gemmBatched##name(                                                    \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const T* alpha,     \
      const T* const* a, Int lda, const T* const* b, Int ldb, const T* beta, T* const* c, Int ldc, Int batches) {     \
    return gemm_ex(handle, "cublas" #Letter "gemmBatched", op_a, op_b,                                                \
                   {.m = m,                                                                                           \
                    .n = n,                                                                                           \
                    .k = k,                                                                                           \
                    .a = {a, type, lda, 0},                                                                           \
                    .b = {b, type, ldb, 0},                                                                           \
                    .c = {c, type, ldc, 0},                                                                           \
                    .batches = batches,                                                                               \
                    .by_pointers = true},                                                                             \
                   compute, alpha, beta);                                                                             \
  }                                                                                                                   \
  ASSAY_EXPORTED cublasStatus_t cublas##Letter##gemmStridedBatched##name(                                             \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const T* alpha,     \
      const T* a, Int lda, long long stride_a, const T* b, Int ldb, long long stride_b, const T* beta, T* c, Int ldc, \
      long long stride_c, Int batches) {                                                                              \
    return gemm_ex(handle, "cublas" #Letter "gemmStridedBatched", op_a, op_b,                                         \
                   {.m = m,                                                                                           \
                    .n = n,                                                                                           \
                    .k = k,                                                                                           \
                    .a = {a, type, lda, stride_a},                                                                    \
                    .b = {b, type, ldb, stride_b},                                                                    \
                    .c = {c, type, ldc, stride_c},                                                                    \
                    .batches = batches},                                                                              \
                   compute, alpha, beta);                                                                             \
  }
#define ASSAY_GEMM_OF(Letter, version, T, type, compute)      \
  ASSAY_GEMM(Letter, version, int, T, type, compute)          \
  ASSAY_GEMM(Letter, version##_64, int64_t, T, type, compute) \
  ASSAY_GEMM_BATCHED(Letter, , int, T, type, compute)         \
  ASSAY_GEMM_BATCHED(Letter, _64, int64_t, T, type, compute)
ASSAY_GEMM_OF(S, _v2, float, Number::f32, CUBLAS_COMPUTE_32F)
ASSAY_GEMM_OF(D, _v2, double, Number::f64, CUBLAS_COMPUTE_64F)
ASSAY_GEMM_OF(H, , uint16_t, Number::f16, CUBLAS_COMPUTE_16F)
#undef ASSAY_GEMM_OF
#undef ASSAY_GEMM_BATCHED
#undef ASSAY_GEMM

#define ASSAY_GEMM_EX(suffix, Int)                                                                                    \
  ASSAY_EXPORTED cublasStatus_t cublasGemmEx##suffix(                                                                 \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const void* alpha,  \
      const void* a, Number a_type, Int lda, const void* b, Number b_type, Int ldb, const void* beta, void* c,        \
      Number c_type, Int ldc, cublasComputeType_t compute, int) {                                                     \
    return gemm_ex(                                                                                                   \
        handle, "cublasGemmEx", op_a, op_b,                                                                           \
        {.m = m, .n = n, .k = k, .a = {a, a_type, lda, 0}, .b = {b, b_type, ldb, 0}, .c = {c, c_type, ldc, 0}},       \
        compute, alpha, beta);                                                                                        \
  }                                                                                                                   \
  ASSAY_EXPORTED cublasStatus_t cublasSgemmEx##suffix(                                                                \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const float* alpha, \
      const void* a, Number a_type, Int lda, const void* b, Number b_type, Int ldb, const float* beta, void* c,       \
      Number c_type, Int ldc) {                                                                                       \
    return gemm_ex(                                                                                                   \
        handle, "cublasSgemmEx", op_a, op_b,                                                                          \
        {.m = m, .n = n, .k = k, .a = {a, a_type, lda, 0}, .b = {b, b_type, ldb, 0}, .c = {c, c_type, ldc, 0}},       \
        CUBLAS_COMPUTE_32F, alpha, beta);                                                                             \
  }                                                                                                                   \
  ASSAY_EXPORTED cublasStatus_t cublasGemmBatchedEx##suffix(                                                          \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const void* alpha,  \
      const void* const* a, Number a_type, Int lda, const void* const* b, Number b_type, Int ldb, const void* beta,   \
      void* const* c, Number c_type, Int ldc, Int batches, cublasComputeType_t compute, int) {                        \
    return gemm_ex(handle, "cublasGemmBatchedEx", op_a, op_b,                                                         \
                   {.m = m,                                                                                           \
                    .n = n,                                                                                           \
                    .k = k,                                                                                           \
                    .a = {a, a_type, lda, 0},                                                                         \
                    .b = {b, b_type, ldb, 0},                                                                         \
                    .c = {c, c_type, ldc, 0},                                                                         \
                    .batches = batches,                                                                               \
                    .by_pointers = true},                                                                             \
                   compute, alpha, beta);                                                                             \
  }                                                                                                                   \
  ASSAY_EXPORTED cublasStatus_t cublasGemmStridedBatchedEx##suffix(                                                   \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const void* alpha,  \
      const void* a, Number a_type, Int lda, long long stride_a, const void* b, Number b_type, Int ldb,               \
      long long stride_b, const void* beta, void* c, Number c_type, Int ldc, long long stride_c, Int batches,         \
      cublasComputeType_t compute, int) {                                                                             \
    return gemm_ex(handle, "cublasGemmStridedBatchedEx", op_a, op_b,                                                  \
                   {.m = m,                                                                                           \
                    .n = n,                                                                                           \
                    .k = k,                                                                                           \
                    .a = {a, a_type, lda, stride_a},                                                                  \
                    .b = {b, b_type, ldb, stride_b},                                                                  \
                    .c = {c, c_type, ldc, stride_c},                                                                  \
                    .batches = batches},                                                                              \
                   compute, alpha, beta);                                                                             \
  }
ASSAY_GEMM_EX(, int)
ASSAY_GEMM_EX(_64, int64_t)
#undef ASSAY_GEMM_EX

}  // namespace assay::program

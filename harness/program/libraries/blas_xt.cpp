// cuBLASXt's products, whose matrices may be the host's: they are computed as cuBLAS's, and the host waits for them.
#include <algorithm>

#include "harness/program/libraries/gemm.h"
#include "harness/program/runtime/exported.h"

struct cublasXtContext {
  int block_dim = 1024;
};
using cublasXtHandle_t = cublasXtContext*;

namespace assay::program {
namespace {

// A matrix in memory of the device must be there, and have values. Memory of the host is the program's own
// business.
bool can_use(GpuProcess& process, const char* name, const Operand& operand, bool is_written) {
  if (!is_device_memory(operand.begin)) return true;
  return is_written ? can_write(process, name, operand) : can_read(process, name, operand);
}

cublasStatus_t product(cublasXtHandle_t handle, const char* name, const Gemm& gemm, double alpha, double beta) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const int64_t rows_of_a = gemm.transposes_a ? gemm.k : gemm.m, rows_of_b = gemm.transposes_b ? gemm.n : gemm.k;
  if (gemm.m < 0 || gemm.n < 0 || gemm.k < 0 || gemm.a.ld < std::max<int64_t>(1, rows_of_a) ||
      gemm.b.ld < std::max<int64_t>(1, rows_of_b) || gemm.c.ld < std::max<int64_t>(1, gemm.m))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (gemm.m == 0 || gemm.n == 0) return CUBLAS_STATUS_SUCCESS;
  return do_for_host(name, nullptr, [&](GpuProcess& process) {
    const size_t bytes = bytes_of(gemm.c.type);
    const Operand c{"C", gemm.c.begin, bytes, gemm.m, gemm.n, gemm.c.ld};
    const bool reads_product = alpha != 0 && gemm.k > 0;
    if (reads_product &&
        (!can_use(process, name, {"A", gemm.a.begin, bytes, rows_of_a, gemm.transposes_a ? gemm.m : gemm.k, gemm.a.ld},
                  false) ||
         !can_use(process, name, {"B", gemm.b.begin, bytes, rows_of_b, gemm.transposes_b ? gemm.k : gemm.n, gemm.b.ld},
                  false)))
      return cudaErrorInvalidValue;
    if ((beta != 0 && !can_use(process, name, c, false)) || !can_use(process, name, c, true))
      return cudaErrorInvalidValue;
    multiply(gemm, alpha, beta, Threads::all_cores);
    if (is_device_memory(gemm.c.begin)) wrote(c);
    return cudaSuccess;
  });
}

template <class T>
cublasStatus_t product_of_reals(cublasXtHandle_t handle, const char* name, Number type, cublasOperation_t of_a,
                                cublasOperation_t of_b, size_t m, size_t n, size_t k, const T* alpha, const T* a,
                                size_t lda, const T* b, size_t ldb, const T* beta, T* c, size_t ldc) {
  if (alpha == nullptr || beta == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const auto matrix = [&](const T* begin, size_t ld) { return GemmMatrix{begin, type, static_cast<int64_t>(ld), 0}; };
  Gemm gemm;
  gemm.m = static_cast<int64_t>(m), gemm.n = static_cast<int64_t>(n), gemm.k = static_cast<int64_t>(k);
  gemm.transposes_a = of_a != CUBLAS_OP_N, gemm.transposes_b = of_b != CUBLAS_OP_N;
  gemm.a = matrix(a, lda), gemm.b = matrix(b, ldb), gemm.c = matrix(c, ldc);
  gemm.sums = type;
  return product(handle, name, gemm, static_cast<double>(*alpha), static_cast<double>(*beta));
}

}  // namespace

ASSAY_EXPORTED cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasXtContext;
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  delete handle;
  return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, const int* devices) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  return count == 1 && devices != nullptr && devices[0] == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
ASSAY_EXPORTED cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int dim) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (dim <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  handle->block_dim = dim;
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* dim) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (dim == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *dim = handle->block_dim;
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasXtSgemm(cublasXtHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                                            size_t m, size_t n, size_t k, const float* alpha, const float* a,
                                            size_t lda, const float* b, size_t ldb, const float* beta, float* c,
                                            size_t ldc) {
  return product_of_reals(handle, "cublasXtSgemm", Number::f32, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c,
                          ldc);
}
ASSAY_EXPORTED cublasStatus_t cublasXtDgemm(cublasXtHandle_t handle, cublasOperation_t of_a, cublasOperation_t of_b,
                                            size_t m, size_t n, size_t k, const double* alpha, const double* a,
                                            size_t lda, const double* b, size_t ldb, const double* beta, double* c,
                                            size_t ldc) {
  return product_of_reals(handle, "cublasXtDgemm", Number::f64, of_a, of_b, m, n, k, alpha, a, lda, b, ldb, beta, c,
                          ldc);
}

}  // namespace assay::program

// cuBLAS on the host, as far as variants call it: products of column-major matrices, alone or in batches, transposes
// and sums of vectors.
//
// It serves tests on the simulated GPU, whose memory is the host's and whose work is done when a call returns.
// Arguments that NVIDIA's refuses are refused here too, so that a wrong leading dimension shows.
#include <cublas_v2.h>

#include "reference/vendor/fake/matrices.h"
#include "reference/vendor/fake/second_run.h"

namespace {

using namespace assay::vendor::fake;

cudaStream_t stream_of_handle = nullptr;

Matrix matrix(const void* data, cudaDataType_t type, int64_t leading, cublasOperation_t operation = CUBLAS_OP_N) {
  return {const_cast<void*>(data), type, leading, operation != CUBLAS_OP_N};
}

float value_of(const void* factor) { return *static_cast<const float*>(factor); }

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  not_in_second_run("cublasCreate");
  static int made;
  *handle = reinterpret_cast<cublasHandle_t>(&made);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t stream) {
  stream_of_handle = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t, void*, size_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasGetProperty(libraryPropertyType, int* value) {
  *value = 0;  // no release of NVIDIA's
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t) { return "refused by the fake"; }

cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                                             int64_t n, int64_t k, const void* alpha, const void* a,
                                             cudaDataType type_a, int64_t leading_a, long long int stride_a,
                                             const void* b, cudaDataType type_b, int64_t leading_b,
                                             long long int stride_b, const void* beta, void* c, cudaDataType type_c,
                                             int64_t leading_c, long long int stride_c, int64_t count,
                                             cublasComputeType_t compute, cublasGemmAlgo_t) {
  must_be_current("a product of cuBLAS", stream_of_handle);
  const Size size{m, n, k};
  const Matrix left = matrix(a, type_a, leading_a, op_a), right = matrix(b, type_b, leading_b, op_b),
               to = matrix(c, type_c, leading_c);
  if (!are_multiplied(left, right, to) || compute != CUBLAS_COMPUTE_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (count < 0 || !fit(size, left, right, to)) return CUBLAS_STATUS_INVALID_VALUE;
  for (int64_t i = 0; i < count; ++i) {
    const Matrix at = to.after(i * stride_c);
    multiply(size, value_of(alpha), left.after(i * stride_a), right.after(i * stride_b), value_of(beta), at, at);
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m,
                               int64_t n, int64_t k, const void* alpha, const void* a, cudaDataType type_a,
                               int64_t leading_a, const void* b, cudaDataType type_b, int64_t leading_b,
                               const void* beta, void* c, cudaDataType type_c, int64_t leading_c,
                               cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx_64(handle, op_a, op_b, m, n, k, alpha, a, type_a, leading_a, 0, b, type_b,
                                       leading_b, 0, beta, c, type_c, leading_c, 0, 1, compute, algorithm);
}

cublasStatus_t cublasAxpyEx_64(cublasHandle_t, int64_t n, const void* alpha, cudaDataType type_alpha, const void* x,
                               cudaDataType type_x, int64_t step_x, void* y, cudaDataType type_y, int64_t step_y,
                               cudaDataType execution) {
  must_be_current("cublasAxpyEx", stream_of_handle);
  const Matrix from = matrix(x, type_x, step_x), to = matrix(y, type_y, step_y);
  if (type_alpha != CUDA_R_32F || execution != CUDA_R_32F || type_x != type_y || !is_known(type_x))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (int64_t i = 0; i < n; ++i) to.put(0, i, value_of(alpha) * from.get(0, i) + to.get(0, i));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgeam_64(cublasHandle_t, cublasOperation_t op_a, cublasOperation_t op_b, int64_t m, int64_t n,
                              const float* alpha, const float* a, int64_t leading_a, const float* beta, const float* b,
                              int64_t leading_b, float* c, int64_t leading_c) {
  const Matrix left = matrix(a, CUDA_R_32F, leading_a, op_a), right = matrix(b, CUDA_R_32F, leading_b, op_b),
               to = matrix(c, CUDA_R_32F, leading_c);
  must_be_current("cublasSgeam", stream_of_handle);
  if (!left.fits(m, n) || !right.fits(m, n) || !to.fits(m, n)) return CUBLAS_STATUS_INVALID_VALUE;
  for (int64_t col = 0; col < n; ++col)
    for (int64_t row = 0; row < m; ++row) {
      const float first = *alpha * left.get(row, col);
      to.put(row, col, *beta == 0 ? first : first + *beta * right.get(row, col));
    }
  return CUBLAS_STATUS_SUCCESS;
}
}

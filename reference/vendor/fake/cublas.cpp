// cuBLAS on the host, as far as chains of calls use it: batches of column-major f32 products, one element at a time.
//
// It serves tests on the simulated GPU, whose memory is the host's and whose work is done when a call returns.
// Arguments that NVIDIA's refuses are refused here too, so that a wrong leading dimension shows.
#include <cublas_v2.h>

#include <algorithm>

namespace {

// op(x) of column-major x: element (row, col) of the product's operand.
struct Operand {
  const float* data;
  int64_t leading;
  bool transposed;
  float at(int64_t row, int64_t col) const {
    return transposed ? data[col + row * leading] : data[row + col * leading];
  }
};

bool fits(cublasOperation_t operation, int64_t leading, int64_t rows, int64_t cols) {
  return leading >= std::max<int64_t>(1, operation == CUBLAS_OP_N ? rows : cols);
}

void multiply(int64_t m, int64_t n, int64_t k, float alpha, const Operand& a, const Operand& b, float beta, float* c,
              int64_t leading) {
  for (int64_t col = 0; col < n; ++col)
    for (int64_t row = 0; row < m; ++row) {
      float sum = 0;
      for (int64_t i = 0; i < k; ++i) sum += a.at(row, i) * b.at(i, col);
      float& to = c[row + col * leading];
      to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
    }
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  static int made;
  *handle = reinterpret_cast<cublasHandle_t>(&made);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }

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
  if (type_a != CUDA_R_32F || type_b != CUDA_R_32F || type_c != CUDA_R_32F || compute != CUBLAS_COMPUTE_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (m < 0 || n < 0 || k < 0 || count < 0 || !fits(op_a, leading_a, m, k) || !fits(op_b, leading_b, k, n) ||
      leading_c < std::max<int64_t>(1, m))
    return CUBLAS_STATUS_INVALID_VALUE;
  for (int64_t i = 0; i < count; ++i)
    multiply(m, n, k, *static_cast<const float*>(alpha),
             {static_cast<const float*>(a) + i * stride_a, leading_a, op_a != CUBLAS_OP_N},
             {static_cast<const float*>(b) + i * stride_b, leading_b, op_b != CUBLAS_OP_N},
             *static_cast<const float*>(beta), static_cast<float*>(c) + i * stride_c, leading_c);
  return CUBLAS_STATUS_SUCCESS;
}
}

// cublasGemmStridedBatchedEx in row-major terms, and cudnnSoftmaxForward and cudnnSoftmaxBackward, ACCURATE.
#include "reference/vendor/cublas_cudnn/matrix_calls.h"

#include "harness/device/cuda/stream.h"
#include "reference/vendor/cublas/handle.h"
#include "reference/vendor/cudnn/handle.h"

namespace assay::vendor {
namespace {

constexpr float kOne = 1, kZero = 0;

// Calls use(handle, descriptor of a matrix).
template <class Use>
void with_rows(int64_t rows, int64_t cols, Use use) {
  const auto handle = cudnn_handle();
  if (!handle) return note_refused_launch(handle.error().line());
  const auto shape = describe_rows(DType::f32, rows, cols);
  if (!shape) return note_refused_launch(shape.error().line());
  use(*handle, shape->get());
}

cublasOperation_t operation(const Operands& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

}  // namespace

void multiply(const Multiplication& m) {
  const auto handle = cublas_on_stream();
  if (!handle) return;
  // cuBLAS reads row-major matrices as their transposes, and cᵀ = op(b)ᵀ op(a)ᵀ: the operands change places.
  const auto gemm = cublas().function<decltype(&cublasGemmStridedBatchedEx_64)>("cublasGemmStridedBatchedEx_64");
  note_if_refused(
      "cublasGemmStridedBatchedEx",
      gemm(*handle, operation(m.b), operation(m.a), m.cols, m.rows, m.inner, &m.alpha, m.b.data, CUDA_R_32F,
           m.b.row_stride, m.b.matrix_stride, m.a.data, CUDA_R_32F, m.a.row_stride, m.a.matrix_stride, &m.beta,
           m.c.data, CUDA_R_32F, m.c.row_stride, m.c.matrix_stride, m.count, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

void softmax_rows(int64_t rows, int64_t cols, const float* x, float* y) {
  with_rows(rows, cols, [&](cudnnHandle_t handle, cudnnTensorDescriptor_t shape) {
    const auto softmax = cudnn().function<decltype(&cudnnSoftmaxForward)>("cudnnSoftmaxForward");
    note_if_refused("cudnnSoftmaxForward", softmax(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &kOne,
                                                   shape, x, &kZero, shape, y));
  });
}

void softmax_rows_backward(int64_t rows, int64_t cols, const float* y, const float* dy, float* dx) {
  with_rows(rows, cols, [&](cudnnHandle_t handle, cudnnTensorDescriptor_t shape) {
    const auto softmax = cudnn().function<decltype(&cudnnSoftmaxBackward)>("cudnnSoftmaxBackward");
    note_if_refused("cudnnSoftmaxBackward", softmax(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &kOne,
                                                    shape, y, shape, dy, &kZero, shape, dx));
  });
}

std::optional<std::string> no_products() { return why_missing(cublas()); }

std::optional<std::string> no_softmax(int64_t rows, int64_t cols) {
  if (auto why = too_many_elements(rows, cols)) return why;
  return why_missing(cudnn());
}

}  // namespace assay::vendor

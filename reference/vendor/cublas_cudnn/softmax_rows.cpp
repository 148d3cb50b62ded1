// cudnnSoftmaxForward and cudnnSoftmaxBackward over rows, ACCURATE.
#include "reference/vendor/cublas_cudnn/softmax_rows.h"

#include "harness/device/cuda/stream.h"
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

}  // namespace

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

std::optional<std::string> no_softmax(int64_t rows, int64_t cols) {
  if (auto why = too_many_elements(rows, cols)) return why;
  return why_missing(cudnn());
}

}  // namespace assay::vendor

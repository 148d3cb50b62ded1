// cudnnSoftmaxForward and cudnnSoftmaxBackward over rows.
#include "reference/vendor/cudnn/softmax_rows.h"

#include "harness/device/cuda/stream.h"
#include "reference/vendor/cudnn/handle.h"

namespace assay::vendor {
namespace {

constexpr float kOne = 1, kZero = 0;

// Calls use(handle, descriptor of a matrix).
template <class Use>
void with_rows(const SoftmaxRows& shape, Use use) {
  if (shape.rows == 0 || shape.cols == 0) return;
  const auto handle = cudnn_handle();
  if (!handle) return note_refused_launch(handle.error().line());
  const auto described = describe_rows(shape.dtype, shape.rows, shape.cols);
  if (!described) return note_refused_launch(described.error().line());
  use(*handle, described->get());
}

}  // namespace

void softmax_rows(const SoftmaxRows& shape, const void* x, void* y, bool log) {
  with_rows(shape, [&](cudnnHandle_t handle, cudnnTensorDescriptor_t rows) {
    const auto softmax = cudnn().function<decltype(&cudnnSoftmaxForward)>("cudnnSoftmaxForward");
    note_if_refused("cudnnSoftmaxForward", softmax(handle, log ? CUDNN_SOFTMAX_LOG : CUDNN_SOFTMAX_ACCURATE,
                                                   CUDNN_SOFTMAX_MODE_INSTANCE, &kOne, rows, x, &kZero, rows, y));
  });
}

void softmax_rows_backward(const SoftmaxRows& shape, const void* y, const void* dy, void* dx) {
  with_rows(shape, [&](cudnnHandle_t handle, cudnnTensorDescriptor_t rows) {
    const auto softmax = cudnn().function<decltype(&cudnnSoftmaxBackward)>("cudnnSoftmaxBackward");
    note_if_refused("cudnnSoftmaxBackward", softmax(handle, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_INSTANCE, &kOne,
                                                    rows, y, rows, dy, &kZero, rows, dx));
  });
}

std::optional<std::string> no_softmax(int64_t rows, int64_t cols) {
  if (auto why = too_many_elements(rows, cols)) return why;
  return why_missing(cudnn());
}

}  // namespace assay::vendor

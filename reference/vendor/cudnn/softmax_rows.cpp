// cudnnSoftmaxForward and cudnnSoftmaxBackward over rows.
#include "reference/vendor/cudnn/softmax_rows.h"

#include <memory>

#include "harness/device/cuda/stream.h"
#include "harness/tensor/fill.h"
#include "reference/vendor/cudnn/handle.h"

namespace assay::vendor {
namespace {

constexpr float kOne = 1, kZero = 0;

struct DestroyTensorDescriptor {
  void operator()(cudnnTensorDescriptor_t descriptor) const {
    cudnn().function<decltype(&cudnnDestroyTensorDescriptor)>("cudnnDestroyTensorDescriptor")(descriptor);
  }
};

// Calls use(handle, descriptor) with `rows` images of `cols` channels: a softmax over an image is one over a row.
template <class Use>
void with_rows(const SoftmaxRows& shape, Use use) {
  if (shape.rows == 0 || shape.cols == 0) return;
  const auto handle = cudnn_handle();
  if (!handle) return note_refused_launch(handle.error().line());
  const auto create = cudnn().function<decltype(&cudnnCreateTensorDescriptor)>("cudnnCreateTensorDescriptor");
  const auto set = cudnn().function<decltype(&cudnnSetTensor4dDescriptor)>("cudnnSetTensor4dDescriptor");
  cudnnTensorDescriptor_t made = nullptr;
  auto status = create(&made);
  const std::unique_ptr<cudnnTensorStruct, DestroyTensorDescriptor> descriptor(made);
  const auto type = shape.dtype == DType::f32    ? CUDNN_DATA_FLOAT
                    : shape.dtype == DType::bf16 ? CUDNN_DATA_BFLOAT16
                                                 : CUDNN_DATA_HALF;
  if (status == CUDNN_STATUS_SUCCESS)
    status = set(made, CUDNN_TENSOR_NCHW, type, static_cast<int>(shape.rows), static_cast<int>(shape.cols), 1, 1);
  if (status != CUDNN_STATUS_SUCCESS) return note_if_refused("describing a matrix", status);
  use(*handle, made);
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
  if (cols > 0 && rows > INT32_MAX / cols) return "cuDNN's tensors have at most 2^31 - 1 elements";
  return why_missing(cudnn());
}

std::optional<std::string> no_softmax_of(const std::string& fill) {
  if (find_fill(fill)->has_infinity) return "cuDNN 9.14 gives rows of infinities 0 (H200)";
  if (fill == "lowest_rows" || fill == "largest")
    return "cuDNN 9.14 counts what it pads rows with where all their numbers are the lowest (H200)";
  return std::nullopt;
}

}  // namespace assay::vendor

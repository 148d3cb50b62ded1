// cuDNN on the host, as far as chains of calls use it: the softmax of rows of f32 and its gradient, ACCURATE.
//
// It serves tests on the simulated GPU; see cublas.cpp. Like NVIDIA's, a row of minus infinities becomes NaN. Calls for
// anything else than rows of f32 without blending are refused; so is work in place, on which no caller relies.
#include <cudnn.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/vendor/fake/second_run.h"

using assay::vendor::fake::must_be_current;
using assay::vendor::fake::not_in_second_run;
using assay::vendor::fake::only_calls_count;

struct cudnnTensorStruct {
  int64_t rows, cols;
};

namespace {

cudaStream_t stream_of_handle = nullptr;

bool are_softmax_of_rows(cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode, const void* alpha,
                         const void* beta) {
  return algorithm == CUDNN_SOFTMAX_ACCURATE && mode == CUDNN_SOFTMAX_MODE_INSTANCE &&
         *static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0;
}

void softmax(const float* x, float* y, int64_t cols) {
  float maximum = -std::numeric_limits<float>::infinity(), sum = 0;
  for (int64_t j = 0; j < cols; ++j) maximum = std::fmax(maximum, x[j]);
  for (int64_t j = 0; j < cols; ++j) sum += y[j] = std::exp(x[j] - maximum);
  for (int64_t j = 0; j < cols; ++j) y[j] /= sum;
}

void softmax_backward(const float* y, const float* dy, float* dx, int64_t cols) {
  float sum = 0;
  for (int64_t j = 0; j < cols; ++j) sum += y[j] * dy[j];
  for (int64_t j = 0; j < cols; ++j) dx[j] = y[j] * (dy[j] - sum);
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  not_in_second_run("cudnnCreate");
  static int made;
  *handle = reinterpret_cast<cudnnHandle_t>(&made);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t stream) {
  stream_of_handle = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t, cudaStream_t* stream) {
  *stream = stream_of_handle;
  return CUDNN_STATUS_SUCCESS;
}

// No release of NVIDIA's, but cudnn-frontend builds graphs for the one whose headers it was compiled with.
size_t cudnnGetVersion() { return CUDNN_VERSION; }

const char* cudnnGetErrorString(cudnnStatus_t) { return "refused by the fake"; }

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) {
  *descriptor = new cudnnTensorStruct{};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t descriptor, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  const bool typed = type == CUDNN_DATA_FLOAT || only_calls_count();
  if (format != CUDNN_TENSOR_NCHW || !typed || n < 1 || c < 1 || h != 1 || w != 1) return CUDNN_STATUS_NOT_SUPPORTED;
  *descriptor = {n, c};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                                  const void* alpha, const cudnnTensorDescriptor_t shape, const void* x,
                                  const void* beta, const cudnnTensorDescriptor_t shape_y, void* y) {
  must_be_current("a softmax of cuDNN", stream_of_handle);
  if (only_calls_count()) return CUDNN_STATUS_SUCCESS;
  if (!are_softmax_of_rows(algorithm, mode, alpha, beta) || shape != shape_y || x == y)
    return CUDNN_STATUS_NOT_SUPPORTED;
  for (int64_t row = 0; row < shape->rows; ++row)
    softmax(static_cast<const float*>(x) + row * shape->cols, static_cast<float*>(y) + row * shape->cols, shape->cols);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                                   const void* alpha, const cudnnTensorDescriptor_t shape, const void* y,
                                   const cudnnTensorDescriptor_t shape_dy, const void* dy, const void* beta,
                                   const cudnnTensorDescriptor_t shape_dx, void* dx) {
  must_be_current("a softmax of cuDNN", stream_of_handle);
  if (only_calls_count()) return CUDNN_STATUS_SUCCESS;
  if (!are_softmax_of_rows(algorithm, mode, alpha, beta) || shape != shape_dy || shape != shape_dx || dx == dy ||
      dx == y)
    return CUDNN_STATUS_NOT_SUPPORTED;
  for (int64_t row = 0; row < shape->rows; ++row)
    softmax_backward(static_cast<const float*>(y) + row * shape->cols,
                     static_cast<const float*>(dy) + row * shape->cols, static_cast<float*>(dx) + row * shape->cols,
                     shape->cols);
  return CUDNN_STATUS_SUCCESS;
}
}

// cuDNN on the host, as far as variants call it: the softmax of rows, ACCURATE or LOG, and its gradient.
//
// It serves tests on the simulated GPU; see cublas.cpp. Like NVIDIA's, a row of minus infinities becomes NaN. Calls for
// anything else than rows without blending are refused; so is work in place, on which no caller relies.
#include <cudnn.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/vendor/fake/matrices.h"
#include "reference/vendor/fake/second_run.h"

using assay::vendor::fake::Matrix;
using assay::vendor::fake::must_be_current;
using assay::vendor::fake::not_in_second_run;
using assay::vendor::fake::only_calls_count;

struct cudnnTensorStruct {
  int64_t rows, cols;
  cudaDataType_t type;
  Matrix of(const void* data) const { return {const_cast<void*>(data), type, cols, /*transposed=*/true}; }
};

namespace {

cudaStream_t stream_of_handle = nullptr;

bool blends(cudnnSoftmaxMode_t mode, const void* alpha, const void* beta) {
  return mode != CUDNN_SOFTMAX_MODE_INSTANCE || *static_cast<const float*>(alpha) != 1 ||
         *static_cast<const float*>(beta) != 0;
}

void softmax(const Matrix& x, const Matrix& y, int64_t row, int64_t cols, bool log) {
  float maximum = -std::numeric_limits<float>::infinity(), sum = 0;
  for (int64_t j = 0; j < cols; ++j) maximum = std::fmax(maximum, x.get(row, j));
  for (int64_t j = 0; j < cols; ++j) sum += std::exp(x.get(row, j) - maximum);
  for (int64_t j = 0; j < cols; ++j) {
    const float below = x.get(row, j) - maximum;
    y.put(row, j, log ? below - std::log(sum) : std::exp(below) / sum);
  }
}

void softmax_backward(const Matrix& y, const Matrix& dy, const Matrix& dx, int64_t row, int64_t cols) {
  float sum = 0;
  for (int64_t j = 0; j < cols; ++j) sum += y.get(row, j) * dy.get(row, j);
  for (int64_t j = 0; j < cols; ++j) dx.put(row, j, y.get(row, j) * (dy.get(row, j) - sum));
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
  if (format != CUDNN_TENSOR_NCHW || n < 1 || c < 1 || h != 1 || w != 1) return CUDNN_STATUS_NOT_SUPPORTED;
  *descriptor = {n, c, type == CUDNN_DATA_FLOAT ? CUDA_R_32F : type == CUDNN_DATA_HALF ? CUDA_R_16F : CUDA_R_16BF};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                                  const void* alpha, const cudnnTensorDescriptor_t shape, const void* x,
                                  const void* beta, const cudnnTensorDescriptor_t shape_y, void* y) {
  must_be_current("a softmax of cuDNN", stream_of_handle);
  if (only_calls_count()) return CUDNN_STATUS_SUCCESS;
  if (algorithm == CUDNN_SOFTMAX_FAST || blends(mode, alpha, beta) || shape != shape_y || x == y)
    return CUDNN_STATUS_NOT_SUPPORTED;
  for (int64_t row = 0; row < shape->rows; ++row)
    softmax(shape->of(x), shape->of(y), row, shape->cols, algorithm == CUDNN_SOFTMAX_LOG);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t, cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                                   const void* alpha, const cudnnTensorDescriptor_t shape, const void* y,
                                   const cudnnTensorDescriptor_t shape_dy, const void* dy, const void* beta,
                                   const cudnnTensorDescriptor_t shape_dx, void* dx) {
  must_be_current("a softmax of cuDNN", stream_of_handle);
  if (only_calls_count()) return CUDNN_STATUS_SUCCESS;
  if (algorithm != CUDNN_SOFTMAX_ACCURATE || blends(mode, alpha, beta) || shape != shape_dy || shape != shape_dx ||
      dx == dy || dx == y)
    return CUDNN_STATUS_NOT_SUPPORTED;
  for (int64_t row = 0; row < shape->rows; ++row)
    softmax_backward(shape->of(y), shape->of(dy), shape->of(dx), row, shape->cols);
  return CUDNN_STATUS_SUCCESS;
}
}

// The handle of cuDNN, its version for the report, and descriptors of matrices.
#include "reference/vendor/cudnn/handle.h"

#include <cstdint>

#include "harness/base/check.h"
#include "harness/device/cuda/stream.h"
#include "harness/device/cuda/vendor_libraries.h"

namespace assay::vendor {
namespace {

std::optional<std::string> cudnn_version() {
  if (cudnn().missing()) return std::nullopt;
  const auto get = cudnn().function<decltype(&cudnnGetVersion)>("cudnnGetVersion");
  const size_t version = get();  // 91900 for 9.19.0
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

const RegisterVendorLibrary kVersion("cuDNN", cudnn_version);

cudnnDataType_t data_type(DType dtype) {
  ASSAY_CHECK(dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16, "no op computes in integers");
  return dtype == DType::f32 ? CUDNN_DATA_FLOAT : dtype == DType::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_HALF;
}

Result<cudnnHandle_t> make_handle() {
  if (cudnn().missing()) return tl::unexpected(*cudnn().missing());
  cudnnHandle_t handle = nullptr;
  const auto status = cudnn().function<decltype(&cudnnCreate)>("cudnnCreate")(&handle);
  if (status != CUDNN_STATUS_SUCCESS) return tl::unexpected(cudnn_error("cudnnCreate", status));
  return handle;
}

}  // namespace

const Library& cudnn() {
  static const Library library("cuDNN", "libcudnn.so." + std::to_string(CUDNN_MAJOR));
  return library;
}

Error cudnn_error(const std::string& call, cudnnStatus_t status) {
  char reason[256] = "";
  cudnn().function<decltype(&cudnnGetLastErrorString)>("cudnnGetLastErrorString")(reason, sizeof reason);
  const auto text = cudnn().function<decltype(&cudnnGetErrorString)>("cudnnGetErrorString");
  return {call + ": " + text(status) + (reason[0] ? std::string(": ") + reason : ""), ""};
}

void note_if_refused(const std::string& call, cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS) note_refused_launch(cudnn_error(call, status).line());
}

Result<cudnnHandle_t> cudnn_handle() {
  static const Result<cudnnHandle_t> made = make_handle();
  if (!made) return made;
  const auto set_stream = cudnn().function<decltype(&cudnnSetStream)>("cudnnSetStream");
  const auto status = set_stream(*made, static_cast<cudaStream_t>(current_stream()));
  if (status != CUDNN_STATUS_SUCCESS) return tl::unexpected(cudnn_error("cudnnSetStream", status));
  return made;
}

void DestroyTensorDescriptor::operator()(cudnnTensorDescriptor_t descriptor) const {
  cudnn().function<decltype(&cudnnDestroyTensorDescriptor)>("cudnnDestroyTensorDescriptor")(descriptor);
}

Result<TensorDescriptor> describe_rows(DType dtype, int64_t rows, int64_t cols) {
  const auto create = cudnn().function<decltype(&cudnnCreateTensorDescriptor)>("cudnnCreateTensorDescriptor");
  const auto set = cudnn().function<decltype(&cudnnSetTensor4dDescriptor)>("cudnnSetTensor4dDescriptor");
  cudnnTensorDescriptor_t made = nullptr;
  auto status = create(&made);
  TensorDescriptor descriptor(made);
  if (status == CUDNN_STATUS_SUCCESS)
    status = set(made, CUDNN_TENSOR_NCHW, data_type(dtype), static_cast<int>(rows), static_cast<int>(cols), 1, 1);
  if (status != CUDNN_STATUS_SUCCESS) return tl::unexpected(cudnn_error("describing a matrix", status));
  return descriptor;
}

std::optional<std::string> too_many_elements(int64_t rows, int64_t cols) {
  if (cols == 0 || rows <= INT32_MAX / cols) return std::nullopt;
  return "cuDNN's tensors have at most 2^31 - 1 elements";
}

}  // namespace assay::vendor

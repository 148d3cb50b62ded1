// The handle of cuDNN, and its version for the report.
#include "reference/vendor/cudnn/handle.h"

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

}  // namespace assay::vendor

// The handles of cuBLAS and cuBLASLt, and their versions for the report.
#include "reference/vendor/cublas/handle.h"

#include <cuda_runtime_api.h>

#include <string>

#include "harness/device/cuda/stream.h"
#include "harness/device/cuda/vendor_libraries.h"

namespace assay::vendor {
namespace {

constexpr size_t kWorkspaceBytes = size_t{32} << 20;  // what NVIDIA recommends for Hopper

const std::string kMajor = std::to_string(CUBLAS_VER_MAJOR);

std::optional<std::string> cublas_version() {
  if (cublas().missing()) return std::nullopt;
  const auto get = cublas().function<decltype(&cublasGetProperty)>("cublasGetProperty");
  std::string text;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int value = 0;
    if (get(part, &value) != CUBLAS_STATUS_SUCCESS) return std::nullopt;
    text += (text.empty() ? "" : ".") + std::to_string(value);
  }
  return text;
}

const RegisterVendorLibrary kVersion("cuBLAS", cublas_version);

}  // namespace

const Library& cublas() {
  static const Library library("cuBLAS", "libcublas.so." + kMajor);
  return library;
}

const Library& cublas_lt() {
  static const Library library("cuBLASLt", "libcublasLt.so." + kMajor);
  return library;
}

Error cublas_error(const std::string& call, cublasStatus_t status) {
  const auto text = cublas_lt().missing()
                        ? cublas().function<decltype(&cublasGetStatusString)>("cublasGetStatusString")
                        : cublas_lt().function<decltype(&cublasLtGetStatusString)>("cublasLtGetStatusString");
  return {call + ": " + text(status), ""};
}

void note_if_refused(const std::string& call, cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) note_refused_launch(cublas_error(call, status).line());
}

Result<cublasHandle_t> cublas_handle() {
  static const Result<cublasHandle_t> made = []() -> Result<cublasHandle_t> {
    if (cublas().missing()) return tl::unexpected(*cublas().missing());
    cublasHandle_t handle = nullptr;
    const auto status = cublas().function<decltype(&cublasCreate)>("cublasCreate_v2")(&handle);
    if (status != CUBLAS_STATUS_SUCCESS) return tl::unexpected(cublas_error("cublasCreate", status));
    return handle;
  }();
  return made;
}

Result<cublasLtHandle_t> cublas_lt_handle() {
  static const Result<cublasLtHandle_t> made = []() -> Result<cublasLtHandle_t> {
    if (cublas_lt().missing()) return tl::unexpected(*cublas_lt().missing());
    cublasLtHandle_t handle = nullptr;
    const auto status = cublas_lt().function<decltype(&cublasLtCreate)>("cublasLtCreate")(&handle);
    if (status != CUBLAS_STATUS_SUCCESS) return tl::unexpected(cublas_error("cublasLtCreate", status));
    return handle;
  }();
  return made;
}

std::optional<cublasHandle_t> cublas_on_stream() {
  const auto handle = cublas_handle();
  if (!handle) {
    note_refused_launch(handle.error().line());
    return std::nullopt;
  }
  const auto set_stream = cublas().function<decltype(&cublasSetStream)>("cublasSetStream_v2");
  note_if_refused("cublasSetStream", set_stream(*handle, static_cast<cudaStream_t>(current_stream())));
  // For good; where there is no memory for it, cuBLAS goes on with its pool. A new stream puts the pool back.
  static void* const workspace = [] {
    void* memory = nullptr;
    if (cudaMalloc(&memory, kWorkspaceBytes) != cudaSuccess) cudaGetLastError();
    return memory;
  }();
  if (workspace) {
    const auto set_workspace = cublas().function<decltype(&cublasSetWorkspace)>("cublasSetWorkspace_v2");
    note_if_refused("cublasSetWorkspace", set_workspace(*handle, workspace, kWorkspaceBytes));
  }
  return *handle;
}

}  // namespace assay::vendor

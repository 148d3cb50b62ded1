// The handles of cuBLAS and cuBLASLt, and their versions for the report.
#include "reference/vendor/cublas/handle.h"

#include <string>

#include "harness/device/cuda/stream.h"
#include "harness/device/cuda/vendor_libraries.h"

namespace assay::vendor {
namespace {

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

}  // namespace assay::vendor

// The handles of cuBLAS and cuBLASLt, and their versions for the report.
#include "reference/vendor/cublas/handle.h"

#include <cuda_runtime_api.h>

#include <string>

#include "harness/device/cuda/stream.h"
#include "harness/device/cuda/vendor_libraries.h"

namespace assay::vendor {
namespace {

constexpr auto kRoundedOnce =
    static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
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

// create: a function of the library, by its name there.
template <class Handle>
Result<Handle> make_handle(const Library& library, const char* create, const char* symbol) {
  if (library.missing()) return tl::unexpected(*library.missing());
  Handle handle = nullptr;
  const auto status = library.function<cublasStatus_t (*)(Handle*)>(symbol)(&handle);
  if (status != CUBLAS_STATUS_SUCCESS) return tl::unexpected(cublas_error(create, status));
  return handle;
}

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
  static const auto made = make_handle<cublasHandle_t>(cublas(), "cublasCreate", "cublasCreate_v2");
  return made;
}

Result<cublasLtHandle_t> cublas_lt_handle() {
  static const auto made = make_handle<cublasLtHandle_t>(cublas_lt(), "cublasLtCreate", "cublasLtCreate");
  return made;
}

cudaDataType_t type_of(DType dtype) {
  return dtype == DType::bf16 ? CUDA_R_16BF : dtype == DType::f16 ? CUDA_R_16F : CUDA_R_32F;
}

std::optional<cublasHandle_t> cublas_on_stream() {
  const auto handle = cublas_handle();
  if (!handle) {
    note_refused_launch(handle.error().line());
    return std::nullopt;
  }
  const auto set_stream = cublas().function<decltype(&cublasSetStream)>("cublasSetStream_v2");
  note_if_refused("cublasSetStream", set_stream(*handle, static_cast<cudaStream_t>(current_stream())));
  // Results are rounded once: by default sums of 16 bits may be put together from parts that were rounded to that.
  const auto set_mode = cublas().function<decltype(&cublasSetMathMode)>("cublasSetMathMode");
  note_if_refused("cublasSetMathMode", set_mode(*handle, kRoundedOnce));
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

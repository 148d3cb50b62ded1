// Handles, their settings, and the texts of a status.
#include "harness/program/libraries/blas_handle.h"

#include <fmt/format.h>

#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

constexpr int kMajor = 13, kMinor = 0, kPatch = 0;  // whose interface is implemented

struct StatusText {
  cublasStatus_t status;
  const char *name, *text;
};
constexpr StatusText kTexts[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was used as input"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "an absent device architectural feature is required"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "there was an error checking the license"},
};

// Sets or gets one member of a handle.
template <class Member, class Value>
cublasStatus_t set(cublasHandle_t handle, Member member, Value value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->*member = value;
  return CUBLAS_STATUS_SUCCESS;
}
template <class Member, class Value>
cublasStatus_t get(cublasHandle_t handle, Member member, Value* value) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *value = handle->*member;
  return CUBLAS_STATUS_SUCCESS;
}

// One of the three numbers of a version, as cublasGetProperty asks for it.
cublasStatus_t property(int type, int* value) {
  constexpr int kNumbers[] = {kMajor, kMinor, kPatch};
  if (type < 0 || type > 2 || value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *value = kNumbers[type];
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

bool is_device_memory(const void* address) {
  GpuProcess& process = GpuProcess::get();
  const std::lock_guard lock(process.lock());
  const Allocation* const allocation = process.allocation_of(address);
  return allocation != nullptr && allocation->memory == Memory::device;
}

bool found_for_host(GpuProcess& process, const char* call, const char* name) {
  process.found(
      simt::Kind::out_of_bounds,
      fmt::format("{} takes {} for memory of the host, as the pointer mode says, and it is device memory", call, name),
      call);
  return true;
}

ASSAY_EXPORTED cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *version = kMajor * 10000 + kMinor * 100 + kPatch;
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasGetProperty(int type, int* value) { return property(type, value); }
ASSAY_EXPORTED size_t cublasGetCudartVersion() { return kMajor * 1000; }

// A stream that is set takes the workspace away that the user gave, which nobody uses here.
ASSAY_EXPORTED cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  return set(handle, &cublasContext::stream, stream);
}
ASSAY_EXPORTED cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  return get(handle, &cublasContext::stream, stream);
}
ASSAY_EXPORTED cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, size_t) {
  return handle == nullptr ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  return set(handle, &cublasContext::pointer_mode, mode);
}
ASSAY_EXPORTED cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return get(handle, &cublasContext::pointer_mode, mode);
}
// Modes allow faster arithmetic, and demand none: sums are those of the type without them.
ASSAY_EXPORTED cublasStatus_t cublasSetMathMode(cublasHandle_t handle, int mode) {
  return set(handle, &cublasContext::math_mode, mode);
}
ASSAY_EXPORTED cublasStatus_t cublasGetMathMode(cublasHandle_t handle, int* mode) {
  return get(handle, &cublasContext::math_mode, mode);
}
ASSAY_EXPORTED cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, int mode) {
  return set(handle, &cublasContext::atomics_mode, mode);
}
ASSAY_EXPORTED cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, int* mode) {
  return get(handle, &cublasContext::atomics_mode, mode);
}
ASSAY_EXPORTED cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
  return set(handle, &cublasContext::sm_count, count);
}
ASSAY_EXPORTED cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* count) {
  return get(handle, &cublasContext::sm_count, count);
}
ASSAY_EXPORTED cublasStatus_t cublasLoggerConfigure(int, int, int, const char*) { return CUBLAS_STATUS_SUCCESS; }

ASSAY_EXPORTED const char* cublasGetStatusName(cublasStatus_t status) {
  for (const StatusText& each : kTexts)
    if (each.status == status) return each.name;
  return "unknown status";
}
ASSAY_EXPORTED const char* cublasGetStatusString(cublasStatus_t status) {
  for (const StatusText& each : kTexts)
    if (each.status == status) return each.text;
  return "unknown status";
}

// cuBLASLt needs no handle of its own; a handle of cuBLAS is one, too.
ASSAY_EXPORTED cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = reinterpret_cast<cublasLtHandle_t>(new cublasContext);
  return CUBLAS_STATUS_SUCCESS;
}
ASSAY_EXPORTED cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return cublasDestroy_v2(reinterpret_cast<cublasHandle_t>(handle));
}
ASSAY_EXPORTED size_t cublasLtGetVersion() { return kMajor * 10000 + kMinor * 100 + kPatch; }
ASSAY_EXPORTED size_t cublasLtGetCudartVersion() { return kMajor * 1000; }
ASSAY_EXPORTED cublasStatus_t cublasLtGetProperty(int type, int* value) { return property(type, value); }
ASSAY_EXPORTED const char* cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
ASSAY_EXPORTED const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }

}  // namespace assay::program

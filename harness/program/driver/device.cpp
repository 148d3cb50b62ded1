// The device and its contexts: there is one device, and a context holds nothing but its place among a thread's
// contexts.
#include <algorithm>
#include <cstring>
#include <vector>

#include "harness/program/driver/result.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/runtime_calls.h"

struct CUctx_st {
  unsigned flags = 0;
};

namespace assay::program {
namespace {

constexpr unsigned kApiVersion = 3020;

CUctx_st primary;
bool is_primary_active = false;
thread_local std::vector<CUcontext> contexts;  // the current one is the last

CUresult device_is(CUdevice device) { return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

// The runtime makes the primary one current, where the program has made none so.
CUcontext current() {
  if (!contexts.empty()) return contexts.back();
  return GpuProcess::get().runtime_has_begun ? &primary : nullptr;
}

cudaDeviceProp properties() {
  cudaDeviceProp device{};
  cudaGetDeviceProperties(&device, 0);
  return device;
}

}  // namespace

ASSAY_EXPORTED CUresult cuInit(unsigned flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
ASSAY_EXPORTED CUresult cuDriverGetVersion(int* version) { return result_of(cudaDriverGetVersion(version)); }

ASSAY_EXPORTED CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = 0;
  return device_is(ordinal);
}
ASSAY_EXPORTED CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  if (name == nullptr || bytes < 1) return CUDA_ERROR_INVALID_VALUE;
  const cudaDeviceProp all = properties();
  std::strncpy(name, all.name, static_cast<size_t>(bytes));
  name[bytes - 1] = '\0';
  return device_is(device);
}
ASSAY_EXPORTED CUresult cuDeviceGetUuid(char* uuid, CUdevice device) {
  const cudaDeviceProp all = properties();
  std::memcpy(uuid, all.uuid, sizeof all.uuid);
  return device_is(device);
}
ASSAY_PER_THREAD(cuDeviceGetUuid, _v2);
ASSAY_EXPORTED CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  *bytes = properties().totalGlobalMem;
  return device_is(device);
}
ASSAY_PER_THREAD(cuDeviceTotalMem, _v2);
ASSAY_EXPORTED CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  return result_of(cudaDeviceGetAttribute(value, attribute, device));
}
ASSAY_EXPORTED CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  const cudaDeviceProp all = properties();
  *major = all.major, *minor = all.minor;
  return device_is(device);
}
ASSAY_EXPORTED CUresult cuDeviceGetPCIBusId(char* text, int bytes, CUdevice device) {
  return result_of(cudaDeviceGetPCIBusId(text, bytes, device));
}
ASSAY_EXPORTED CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
  *can = 0;
  return CUDA_SUCCESS;
}

ASSAY_EXPORTED CUresult cuCtxSetCurrent(CUcontext context) {
  if (!contexts.empty()) contexts.pop_back();
  if (context != nullptr) contexts.push_back(context);
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current();
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuCtxPushCurrent(CUcontext context) {
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  contexts.push_back(context);
  return CUDA_SUCCESS;
}
ASSAY_PER_THREAD(cuCtxPushCurrent, _v2);
ASSAY_EXPORTED CUresult cuCtxPopCurrent(CUcontext* context) {
  if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}
ASSAY_PER_THREAD(cuCtxPopCurrent, _v2);

ASSAY_EXPORTED CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  *context = new CUctx_st{flags};
  return cuCtxPushCurrent(*context);
}
ASSAY_PER_THREAD(cuCtxCreate, _v2);
// The parameters of execution affinity are not read: it changes no result.
ASSAY_EXPORTED CUresult cuCtxCreate_v3(CUcontext* context, void*, int, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, flags, device);
}
ASSAY_EXPORTED CUresult cuCtxCreate_v4(CUcontext* context, void*, unsigned flags, CUdevice device) {
  return cuCtxCreate(context, flags, device);
}
ASSAY_EXPORTED CUresult cuCtxDestroy(CUcontext context) {
  if (context == nullptr || context == &primary) return CUDA_ERROR_INVALID_CONTEXT;
  std::erase(contexts, context);
  delete context;
  return CUDA_SUCCESS;
}
ASSAY_PER_THREAD(cuCtxDestroy, _v2);
ASSAY_EXPORTED CUresult cuCtxSynchronize() { return result_of(cudaDeviceSynchronize()); }
ASSAY_EXPORTED CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return current() == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  *version = kApiVersion;
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuCtxGetFlags(unsigned* flags) {
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *flags = current()->flags;
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuCtxSetCacheConfig(int) { return CUDA_SUCCESS; }
ASSAY_EXPORTED CUresult cuCtxSetSharedMemConfig(int) { return CUDA_SUCCESS; }
ASSAY_EXPORTED CUresult cuCtxGetLimit(size_t* value, int limit) {
  return result_of(cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}
ASSAY_EXPORTED CUresult cuCtxSetLimit(int limit, size_t value) {
  return result_of(cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value));
}
ASSAY_EXPORTED CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0, *greatest = -5;
  return CUDA_SUCCESS;
}

ASSAY_EXPORTED CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  *context = &primary;
  is_primary_active = true;
  return device_is(device);
}
ASSAY_EXPORTED CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return device_is(device); }
ASSAY_PER_THREAD(cuDevicePrimaryCtxRelease, _v2);
ASSAY_EXPORTED CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  primary.flags = flags;
  return device_is(device);
}
ASSAY_PER_THREAD(cuDevicePrimaryCtxSetFlags, _v2);
ASSAY_EXPORTED CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* is_active) {
  *flags = primary.flags, *is_active = is_primary_active ? 1 : 0;
  return device_is(device);
}

}  // namespace assay::program

// The CUDA runtime's calls of host code, with the meaning that they have on the executor.
//
// Device memory is device_memory.h's; streams and events order nothing, because every call is done when it returns;
// the device that is described has few multiprocessors, so that grids that fill it stay small. An error of a kernel is
// a finding, not an error code: a launcher that exits on errors would hide it. Limits: no graphs, no textures, no
// launch through a pointer without its type; such calls are findings.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "harness/simt/include/simt/device_memory.h"
#include "harness/simt/include/simt/launch.h"
#include "harness/simt/include/simt/limits.h"

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

// A device of compute capability 9.0, whose limits the executor has.
struct cudaDeviceProp {
  char name[256] = "SIMT executor";
  int major = 9, minor = 0, multiProcessorCount = 4, warpSize = 32;
  int maxThreadsPerBlock = assay::simt::kThreadsMax, maxThreadsPerMultiProcessor = 2048, regsPerBlock = 65536;
  int maxBlocksPerMultiProcessor = 32, regsPerMultiprocessor = 65536, clockRate = 1000000, memoryClockRate = 1000000;
  int memoryBusWidth = 1024, l2CacheSize = 1 << 22, concurrentKernels = 1, cooperativeLaunch = 1, integrated = 0;
  int maxThreadsDim[3] = {1024, 1024, 64}, maxGridSize[3] = {0x7fffffff, 65535, 65535};
  int asyncEngineCount = 1, canMapHostMemory = 1, unifiedAddressing = 1, managedMemory = 1;
  size_t sharedMemPerBlock = assay::simt::kStaticSharedBytesMax, sharedMemPerBlockOptin = assay::simt::kSharedBytesMax;
  size_t sharedMemPerMultiprocessor = 228 * 1024, reservedSharedMemPerBlock = 1024, totalGlobalMem = size_t{4} << 30;
  size_t totalConstMem = 64 * 1024;
};

using cudaEvent_t = void*;
inline constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1, cudaEventDefault = 0,
                          cudaEventDisableTiming = 2, cudaHostAllocDefault = 0;

// Calls that take no part in what a kernel computes.
#define ASSAY_SUCCEEDS(name)                     \
  template <class... Arguments>                  \
  inline cudaError_t name(const Arguments&...) { \
    return cudaSuccess;                          \
  }
ASSAY_SUCCEEDS(cudaDeviceSynchronize)
ASSAY_SUCCEEDS(cudaThreadSynchronize)
ASSAY_SUCCEEDS(cudaDeviceReset)
ASSAY_SUCCEEDS(cudaSetDevice)
ASSAY_SUCCEEDS(cudaDeviceSetLimit)
ASSAY_SUCCEEDS(cudaDeviceSetCacheConfig)
ASSAY_SUCCEEDS(cudaFuncSetCacheConfig)
ASSAY_SUCCEEDS(cudaStreamDestroy)
ASSAY_SUCCEEDS(cudaStreamSynchronize)
ASSAY_SUCCEEDS(cudaStreamWaitEvent)
ASSAY_SUCCEEDS(cudaStreamQuery)
ASSAY_SUCCEEDS(cudaEventRecord)
ASSAY_SUCCEEDS(cudaEventSynchronize)
ASSAY_SUCCEEDS(cudaEventQuery)
ASSAY_SUCCEEDS(cudaEventDestroy)
ASSAY_SUCCEEDS(cudaMemPrefetchAsync)
ASSAY_SUCCEEDS(cudaMemAdvise)
#undef ASSAY_SUCCEEDS

#define ASSAY_REFUSED(name)                                                                         \
  template <class... Arguments>                                                                     \
  inline cudaError_t name(const Arguments&...) {                                                    \
    assay::simt::device_refuse(#name ": the executor does not have this call; use <<<>>> instead"); \
    return cudaErrorNotSupported;                                                                   \
  }
ASSAY_REFUSED(cudaLaunchKernelExC)
ASSAY_REFUSED(cudaStreamBeginCapture)
ASSAY_REFUSED(cudaGraphLaunch)
#undef ASSAY_REFUSED

inline const char* cudaGetErrorName(cudaError_t error) { return error == cudaSuccess ? "cudaSuccess" : "cudaError"; }

template <class... Flags>
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, Flags...) {
  *stream = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream); }
template <class... Flags>
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, Flags...) {
  return cudaStreamCreateWithFlags(stream);
}
template <class... Flags>
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, Flags...) {
  *event = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event); }
// Nothing was timed; a second keeps what is divided by it finite.
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1000;
  return cudaSuccess;
}

inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const cudaDeviceProp device;
  const std::pair<cudaDeviceAttr, int> values[] = {
      {cudaDevAttrMaxThreadsPerBlock, device.maxThreadsPerBlock},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(device.sharedMemPerBlock)},
      {cudaDevAttrWarpSize, device.warpSize},
      {cudaDevAttrMultiProcessorCount, device.multiProcessorCount},
      {cudaDevAttrMaxThreadsPerMultiProcessor, device.maxThreadsPerMultiProcessor},
      {cudaDevAttrComputeCapabilityMajor, device.major},
      {cudaDevAttrComputeCapabilityMinor, device.minor},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<int>(device.sharedMemPerMultiprocessor)},
      {cudaDevAttrCooperativeLaunch, device.cooperativeLaunch},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(device.sharedMemPerBlockOptin)}};
  for (const auto& [known, is] : values)
    if (known == attribute) *value = is;
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = *total = cudaDeviceProp{}.totalGlobalMem;
  return cudaSuccess;
}

// Gives as many blocks as threads and shared memory leave room for; registers are not known.
template <class Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int threads, size_t shared) {
  const cudaDeviceProp device;
  const auto by_shared =
      static_cast<int>(device.sharedMemPerMultiprocessor / (shared + device.reservedSharedMemPerBlock));
  *blocks = std::min(
      {device.maxThreadsPerMultiProcessor / std::max(threads, 1), device.maxBlocksPerMultiProcessor, by_shared});
  return cudaSuccess;
}
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel kernel, size_t shared = 0,
                                                      int limit = 0) {
  *block = limit > 0 ? std::min(limit, 256) : 256;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(grid, kernel, *block, shared);
  *grid *= cudaDeviceProp{}.multiProcessorCount;
  return cudaSuccess;
}

namespace assay::simt {
template <class T>
constexpr size_t element_bytes() {
  if constexpr (std::is_void_v<T>)
    return 1;
  else
    return sizeof(T);
}
template <class T>
inline cudaError_t allocate(T** memory, size_t bytes, const char* call) {
  *memory = static_cast<T*>(device_allocate(bytes, element_bytes<T>(), call));
  return *memory != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t error_unless(bool done) { return done ? cudaSuccess : cudaErrorInvalidValue; }
}  // namespace assay::simt

template <class T>
inline cudaError_t cudaMalloc(T** memory, size_t bytes) {
  return assay::simt::allocate(memory, bytes, "memory of cudaMalloc");
}
template <class T, class... Stream>
inline cudaError_t cudaMallocAsync(T** memory, size_t bytes, Stream...) {
  return assay::simt::allocate(memory, bytes, "memory of cudaMallocAsync");
}
// Memory that both sides see counts as written: nobody watches the host.
template <class T, class... Flags>
inline cudaError_t cudaMallocManaged(T** memory, size_t bytes, Flags...) {
  const cudaError_t error = assay::simt::allocate(memory, bytes, "memory that the host shares");
  if (*memory != nullptr) assay::simt::device_set(*memory, 0, bytes, "cudaMallocManaged");
  return error;
}
template <class T, class... Flags>
inline cudaError_t cudaMallocHost(T** memory, size_t bytes, Flags...) {
  return cudaMallocManaged(memory, bytes);
}
template <class T, class... Flags>
inline cudaError_t cudaHostAlloc(T** memory, size_t bytes, Flags...) {
  return cudaMallocManaged(memory, bytes);
}
inline cudaError_t cudaFree(void* memory) { return assay::simt::error_unless(assay::simt::device_free(memory)); }
template <class... Stream>
inline cudaError_t cudaFreeAsync(void* memory, Stream...) {
  return cudaFree(memory);
}
inline cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }

inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return assay::simt::error_unless(assay::simt::device_copy(to, from, bytes, "cudaMemcpy"));
}
template <class... Stream>
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Stream...) {
  return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  cudaError_t error = cudaSuccess;
  for (size_t row = 0; row < height && error == cudaSuccess; ++row)
    error = cudaMemcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                       width, kind);
  return error;
}
inline cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return assay::simt::error_unless(assay::simt::device_set(to, value, bytes, "cudaMemset"));
}
template <class... Stream>
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, Stream...) {
  return cudaMemset(to, value, bytes);
}

// __constant__ and __device__ variables are variables of the module.
template <class T, class... More>
inline cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t bytes, size_t offset = 0, More...) {
  return cudaMemcpy(reinterpret_cast<char*>(&symbol) + offset, from, bytes, cudaMemcpyDefault);
}
template <class T, class... More>
inline cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, size_t bytes, size_t offset = 0, More...) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset);
}
template <class T, class... More>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0, More...) {
  return cudaMemcpy(to, reinterpret_cast<const char*>(&symbol) + offset, bytes, cudaMemcpyDefault);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** address, T& symbol) {
  *address = &symbol;
  return cudaSuccess;
}

template <class... Params>
inline cudaError_t cudaLaunchKernel(void (*kernel)(Params...), dim3 grid, dim3 block, void** arguments,
                                    size_t shared = 0, cudaStream_t = nullptr) {
  [&]<size_t... I>(std::index_sequence<I...>) {
    assay::simt::launch_kernel(kernel, {grid, block, shared},
                               *static_cast<std::remove_const_t<Params>*>(arguments[I])...);
  }
  (std::index_sequence_for<Params...>());
  return cudaSuccess;
}
template <class... More>
inline cudaError_t cudaLaunchKernel(const void*, More...) {
  assay::simt::device_refuse("cudaLaunchKernel: the executor needs the kernel itself, not a void pointer to it");
  return cudaErrorNotSupported;
}
template <class Kernel, class... More>
inline cudaError_t cudaLaunchCooperativeKernel(Kernel kernel, More... more) {
  return cudaLaunchKernel(kernel, more...);
}

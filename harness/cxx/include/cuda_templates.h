// The C++ forms of the runtime's calls: typed pointers, symbols by reference, kernels as functions.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "harness/cxx/include/cuda_calls.h"

namespace assay::cxx {

template <class T>
void** memory_of(T** pointer) {
  return static_cast<void**>(static_cast<void*>(pointer));
}
template <class T>
void* address_of(const T& object) {
  return const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(object)));
}
// A kernel's handle is the address of its host function.
template <class Kernel>
const void* handle_of(Kernel* kernel) {
  return reinterpret_cast<const void*>(kernel);
}
}  // namespace assay::cxx

template <class T>
cudaError_t cudaMalloc(T** memory, size_t bytes) {
  return cudaMalloc(assay::cxx::memory_of(memory), bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T** memory, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(assay::cxx::memory_of(memory), bytes, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(assay::cxx::memory_of(memory), bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(assay::cxx::memory_of(memory), bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocManaged(T** memory, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(assay::cxx::memory_of(memory), bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T** memory, size_t bytes, unsigned flags = 0) {
  return cudaHostAlloc(assay::cxx::memory_of(memory), bytes, flags);
}
template <class T>
cudaError_t cudaHostAlloc(T** memory, size_t bytes, unsigned flags) {
  return cudaHostAlloc(assay::cxx::memory_of(memory), bytes, flags);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags = 0) {
  return cudaHostGetDevicePointer(assay::cxx::memory_of(device), host, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T** memory, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch(assay::cxx::memory_of(memory), pitch, width, height);
}
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* memory, size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(memory), bytes, flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}

// The forms of earlier versions.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* failed, char* log,
                                        size_t bytes) {
  if (failed != nullptr) *failed = nullptr;
  if (log != nullptr && bytes > 0) *log = 0;
  return cudaGraphInstantiate(exec, graph, 0ULL);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* failed,
                                       cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  if (failed != nullptr) *failed = info.errorNode;
  if (result != nullptr) *result = info.result;
  return error;
}

// Variables of the device, which host code has under the same names.
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(static_cast<const void*>(assay::cxx::address_of(symbol)), from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = nullptr) {
  return cudaMemcpyToSymbolAsync(static_cast<const void*>(assay::cxx::address_of(symbol)), from, bytes, offset, kind,
                                 stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(to, static_cast<const void*>(assay::cxx::address_of(symbol)), bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = nullptr) {
  return cudaMemcpyFromSymbolAsync(to, static_cast<const void*>(assay::cxx::address_of(symbol)), bytes, offset, kind,
                                   stream);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
  return cudaGetSymbolAddress(address, static_cast<const void*>(assay::cxx::address_of(symbol)));
}
template <class T, class Symbol>
cudaError_t cudaGetSymbolAddress(T** address, const Symbol& symbol) {
  return cudaGetSymbolAddress(assay::cxx::memory_of(address), symbol);
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
  return cudaGetSymbolSize(bytes, static_cast<const void*>(assay::cxx::address_of(symbol)));
}

// Kernels.
template <class Kernel>
cudaError_t cudaLaunchKernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes = 0,
                             cudaStream_t stream = nullptr) {
  return cudaLaunchKernel(assay::cxx::handle_of(kernel), grid, block, arguments, shared_bytes, stream);
}
template <class Kernel>
cudaError_t cudaLaunchCooperativeKernel(Kernel* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cudaLaunchCooperativeKernel(assay::cxx::handle_of(kernel), grid, block, arguments, shared_bytes, stream);
}
template <class... Params, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Params...), Arguments&&... arguments) {
  return [&](Params... converted) {
    void* pointers[] = {assay::cxx::address_of(converted)..., nullptr};
    return cudaLaunchKernelExC(config, assay::cxx::handle_of(kernel), pointers);
  }(std::forward<Arguments>(arguments)...);
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(assay::cxx::handle_of(kernel), attribute, value);
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel) {
  return cudaFuncGetAttributes(attributes, assay::cxx::handle_of(kernel));
}
template <class Kernel>
cudaError_t cudaFuncGetName(const char** name, Kernel* kernel) {
  return cudaFuncGetName(name, assay::cxx::handle_of(kernel));
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(assay::cxx::handle_of(kernel), config);
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel* kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(assay::cxx::handle_of(kernel), config);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel* kernel, int threads,
                                                          size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, assay::cxx::handle_of(kernel), threads, shared_bytes);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel, int threads,
                                                                   size_t shared_bytes, unsigned flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, assay::cxx::handle_of(kernel), threads,
                                                                shared_bytes, flags);
}
template <class Kernel>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, Kernel* kernel, int blocks, int threads) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, assay::cxx::handle_of(kernel), blocks, threads);
}

// The block of whole warps with which most threads are resident, the largest of those; and the blocks that fill the
// device with it. `shared_bytes_of`: by the size of a block.
template <class SharedBytesOf, class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, Kernel* kernel,
                                                           SharedBytesOf shared_bytes_of, int limit = 0) {
  cudaFuncAttributes attributes;
  int device = 0, processors = 0, most = 0;
  if (const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel); error != cudaSuccess) return error;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  if (const cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
      error != cudaSuccess)
    return error;
  const int largest = limit > 0 && limit < attributes.maxThreadsPerBlock ? limit : attributes.maxThreadsPerBlock;
  *grid = *block = 0;
  for (int threads = (largest + 31) / 32 * 32; threads > 0; threads -= 32) {
    const int tried = threads < largest ? threads : largest;
    int blocks = 0;
    const cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, tried, shared_bytes_of(tried));
    if (error != cudaSuccess) return error;
    if (blocks * tried <= most) continue;
    most = blocks * tried;
    *grid = blocks * processors;
    *block = tried;
  }
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel* kernel, size_t shared_bytes = 0,
                                               int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [=](int) { return shared_bytes; }, limit);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, Kernel* kernel, size_t shared_bytes = 0,
                                                        int limit = 0, unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared_bytes, limit);
}

// The channels of a texel of this type: float, uchar4, …
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Channel = decltype([] {
    if constexpr (requires(T texel) { texel.x; })
      return decltype(T::x)();
    else
      return T();
  }());
  constexpr int kCount = sizeof(T) / sizeof(Channel), kBits = sizeof(Channel) * 8;
  return {kBits, kCount > 1 ? kBits : 0, kCount > 2 ? kBits : 0, kCount > 3 ? kBits : 0,
          std::is_floating_point_v<Channel> ? cudaChannelFormatKindFloat
          : std::is_signed_v<Channel>       ? cudaChannelFormatKindSigned
                                            : cudaChannelFormatKindUnsigned};
}

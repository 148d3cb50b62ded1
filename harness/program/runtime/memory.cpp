// Memory: allocations, copies, and what programs ask of addresses.
#include <fmt/format.h>

#include <cstring>

#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/copies.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/graph_work.h"
#include "harness/program/runtime/memory_work.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/process.h"
#include "harness/program/runtime/stream_races.h"
#include "harness/simt/include/simt/device_memory.h"

namespace assay::program {
namespace {

constexpr size_t kPitch = 512;

cudaError_t allocate(const char* name, void** memory, size_t bytes, Memory kind) {
  return call(name, [&](GpuProcess& process) {
    if (memory == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_unsafe(); error != cudaSuccess) return error;
    *memory = process.allocate(bytes, kind, name);
    return *memory != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

cudaError_t release(const char* name, void* memory) {
  return call(name, [&](GpuProcess& process) {
    if (const cudaError_t error = check_unsafe(); error != cudaSuccess) return error;
    return memory == nullptr || process.free(memory, name) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

// Memory that a stream allocates; in a graph it has its address from now on, and is there when the graph comes to it.
cudaError_t allocate_in(const char* name, cudaStream_t stream, void** memory, size_t bytes) {
  if (memory == nullptr) return call(name, [](GpuProcess&) { return cudaErrorInvalidValue; });
  return ordered(
      name, stream,
      [&](GpuProcess& process) {
        *memory = process.allocate(bytes, Memory::device, name);
        allocated(*memory, bytes);
        return *memory != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
      },
      [&](GpuProcess& process) -> tl::expected<Work, cudaError_t> {
        *memory = process.reserve(bytes, name);
        if (*memory == nullptr) return tl::unexpected(cudaErrorMemoryAllocation);
        return AllocateWork{
            {.poolProps = {}, .accessDescs = nullptr, .accessDescCount = 0, .bytesize = bytes, .dptr = *memory}};
      });
}

cudaMemcpy3DParms rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                       cudaMemcpyKind kind) {
  cudaMemcpy3DParms params{};
  params.dstPtr = {to, to_pitch, width, height};
  params.srcPtr = {const_cast<void*>(from), from_pitch, width, height};
  params.extent = {width, height, 1};
  params.kind = kind;
  return params;
}

}  // namespace

cudaError_t copy_rows(const char* name, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind) {
  return call(name, [&](GpuProcess& process) {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    for (size_t row = 0; row < height; ++row)
      if (const cudaError_t error = copy(process, name, static_cast<char*>(to) + row * to_pitch,
                                         static_cast<const char*>(from) + row * from_pitch, width, kind);
          error != cudaSuccess)
        return error;
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return allocate("cudaMalloc", memory, bytes, Memory::device);
}
ASSAY_EXPORTED cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream) {
  return allocate_in("cudaMallocAsync", stream, memory, bytes);
}
ASSAY_PER_THREAD(cudaMallocAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned) {
  return allocate("cudaMallocManaged", memory, bytes, Memory::managed);
}
ASSAY_EXPORTED cudaError_t cudaMallocHost(void** memory, size_t bytes) {
  return allocate("cudaMallocHost", memory, bytes, Memory::host);
}
ASSAY_EXPORTED cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  return allocate("cudaHostAlloc", memory, bytes, Memory::host);
}
ASSAY_EXPORTED cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return allocate("cudaMallocPitch", memory, *pitch * height, Memory::device);
}
ASSAY_EXPORTED cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  pitched->xsize = extent.width, pitched->ysize = extent.height;
  pitched->pitch = (extent.width + kPitch - 1) / kPitch * kPitch;
  return allocate("cudaMalloc3D", &pitched->ptr, pitched->pitch * extent.height * extent.depth, Memory::device);
}

ASSAY_EXPORTED cudaError_t cudaFree(void* memory) { return release("cudaFree", memory); }
ASSAY_EXPORTED cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return ordered(
      "cudaFreeAsync", stream, [&](GpuProcess&) { return run("cudaFreeAsync", FreeWork{memory}); },
      [&](GpuProcess&) { return free_work(*stream_of(stream).capture->graph, memory); });
}
ASSAY_PER_THREAD(cudaFreeAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaFreeHost(void* memory) { return release("cudaFreeHost", memory); }

ASSAY_EXPORTED cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call("cudaMemcpy", [&](GpuProcess& process) {
    const cudaError_t error = check_synchronous();
    return error != cudaSuccess ? error : copy(process, "cudaMemcpy", to, from, bytes, kind);
  });
}
ASSAY_PER_THREAD(cudaMemcpy, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                           cudaStream_t stream) {
  return submit("cudaMemcpyAsync", stream, linear_copy(to, from, bytes, kind));
}
ASSAY_PER_THREAD(cudaMemcpyAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
ASSAY_EXPORTED cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                               cudaStream_t stream) {
  return submit("cudaMemcpyPeerAsync", stream, linear_copy(to, from, bytes, cudaMemcpyDeviceToDevice));
}
ASSAY_EXPORTED cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                        size_t height, cudaMemcpyKind kind) {
  return synchronous("cudaMemcpy2D",
                     [&] { return copy_rows("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind); });
}
ASSAY_PER_THREAD(cudaMemcpy2D, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                             size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return submit("cudaMemcpy2DAsync", stream, CopyWork{rows(to, to_pitch, from, from_pitch, width, height, kind)});
}
ASSAY_PER_THREAD(cudaMemcpy2DAsync, _ptsz);

ASSAY_EXPORTED cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return call("cudaMemGetInfo", [&](GpuProcess& process) {
    *free = kDeviceBytes - process.allocated_bytes();
    *total = kDeviceBytes;
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* address) {
  return call("cudaPointerGetAttributes", [&](GpuProcess& process) {
    const Allocation* const allocation = process.allocation_of(address);
    void* const memory = const_cast<void*>(address);
    *attributes = {};
    if (allocation == nullptr && !Modules::get().is_variable(address)) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = -2;
      attributes->hostPointer = memory;
      return cudaSuccess;
    }
    const Memory kind = allocation == nullptr ? Memory::device : allocation->memory;
    attributes->type = kind == Memory::device ? cudaMemoryTypeDevice
                       : kind == Memory::host ? cudaMemoryTypeHost
                                              : cudaMemoryTypeManaged;
    attributes->devicePointer = memory;
    attributes->hostPointer = kind == Memory::device ? nullptr : memory;
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call("cudaHostGetDevicePointer", [&](GpuProcess& process) {
    *device = host;
    const bool is_known =
        process.allocation_of(host) != nullptr || is_host_registered(reinterpret_cast<uintptr_t>(host));
    return is_known ? cudaSuccess : cudaErrorInvalidValue;
  });
}
ASSAY_EXPORTED cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  *flags = 2;  // mapped
  return cudaSuccess;
}

// Pages stay where they are, and copies are as fast from any memory. Where addresses are unified, registered memory is
// mapped, and kernels access it by the address that the host has.
ASSAY_EXPORTED cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned) {
  host_registered(memory, bytes);
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaHostUnregister(void* memory) {
  host_unregistered(memory);
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaMemAdvise(const void*, size_t, int, ...) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemPrefetchAsync(const void*, size_t, ...) { return cudaSuccess; }
ASSAY_PER_THREAD(cudaMemPrefetchAsync, _ptsz);

// One pool, which keeps nothing; between_processes.cpp has those that other processes may open.
ASSAY_EXPORTED cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = reinterpret_cast<cudaMemPool_t>(1);
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
ASSAY_EXPORTED cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void*) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, int, void* value) {
  std::memset(value, 0, sizeof(uint64_t));
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const void*, size_t) { return cudaSuccess; }

}  // namespace assay::program

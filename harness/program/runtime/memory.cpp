// Memory: allocations, copies, sets, and what programs ask of addresses.
#include <fmt/format.h>

#include <cstring>

#include "harness/program/runtime/copies.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/process.h"
#include "harness/simt/include/simt/device_memory.h"

namespace assay::program {
namespace {

constexpr size_t kPitch = 512;

cudaError_t allocate(const char* name, void** memory, size_t bytes, Memory kind) {
  return call(name, [&](GpuProcess& process) {
    if (memory == nullptr) return cudaErrorInvalidValue;
    *memory = process.allocate(bytes, kind, name);
    return *memory != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}

cudaError_t release(const char* name, void* memory) {
  return call(name, [&](GpuProcess& process) {
    return memory == nullptr || process.free(memory, name) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

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

cudaError_t set(const char* name, void* memory, int value, size_t bytes) {
  return call(name, [&](GpuProcess& process) {
    if (bytes == 0) return cudaSuccess;
    if (!is_on_device(process, memory)) {
      process.found(simt::Kind::out_of_bounds, fmt::format("{} of {}, which is no device memory", name, memory), name);
      return cudaErrorInvalidValue;
    }
    return simt::device_set(memory, value, bytes, name) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t set_rows(const char* name, void* memory, size_t pitch, int value, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row)
    if (const cudaError_t error = set(name, static_cast<char*>(memory) + row * pitch, value, width);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}

// `body` gets the variable, of which `bytes` from `offset` on must be there.
template <class Body>
cudaError_t with_symbol(const char* name, const void* symbol, size_t bytes, size_t offset, Body body) {
  return call(name, [&](GpuProcess& process) {
    const auto variable = Modules::get().variable_of(symbol);
    if (!variable) {
      process.found(simt::Kind::skipped, fmt::format("{}: {}", name, variable.error().line()), name);
      return cudaErrorInvalidSymbol;
    }
    if (offset > (*variable)->bytes || bytes > (*variable)->bytes - offset) {
      process.found(simt::Kind::out_of_bounds,
                    fmt::format("{} of {} bytes from byte {} of {}, which has {}", name, bytes, offset,
                                readable((*variable)->name), (*variable)->bytes),
                    name);
      return cudaErrorInvalidValue;
    }
    return body(process, **variable);
  });
}

}  // namespace

ASSAY_EXPORTED cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return allocate("cudaMalloc", memory, bytes, Memory::device);
}
ASSAY_EXPORTED cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
  return allocate("cudaMallocAsync", memory, bytes, Memory::device);
}
ASSAY_PER_THREAD(cudaMallocAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t, cudaStream_t) {
  return allocate("cudaMallocFromPoolAsync", memory, bytes, Memory::device);
}
ASSAY_PER_THREAD(cudaMallocFromPoolAsync, _ptsz);
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
ASSAY_EXPORTED cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return release("cudaFreeAsync", memory); }
ASSAY_PER_THREAD(cudaFreeAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaFreeHost(void* memory) { return release("cudaFreeHost", memory); }

ASSAY_EXPORTED cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call("cudaMemcpy", [&](GpuProcess& process) { return copy(process, "cudaMemcpy", to, from, bytes, kind); });
}
ASSAY_PER_THREAD(cudaMemcpy, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                           cudaStream_t) {
  return call("cudaMemcpyAsync",
              [&](GpuProcess& process) { return copy(process, "cudaMemcpyAsync", to, from, bytes, kind); });
}
ASSAY_PER_THREAD(cudaMemcpyAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
ASSAY_EXPORTED cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
ASSAY_EXPORTED cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                        size_t height, cudaMemcpyKind kind) {
  return copy_rows("cudaMemcpy2D", to, to_pitch, from, from_pitch, width, height, kind);
}
ASSAY_PER_THREAD(cudaMemcpy2D, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                             size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t) {
  return copy_rows("cudaMemcpy2DAsync", to, to_pitch, from, from_pitch, width, height, kind);
}
ASSAY_PER_THREAD(cudaMemcpy2DAsync, _ptsz);

ASSAY_EXPORTED cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return set("cudaMemset", memory, value, bytes);
}
ASSAY_PER_THREAD(cudaMemset, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t) {
  return set("cudaMemsetAsync", memory, value, bytes);
}
ASSAY_PER_THREAD(cudaMemsetAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemset2D(void* memory, size_t pitch, int value, size_t width, size_t height) {
  return set_rows("cudaMemset2D", memory, pitch, value, width, height);
}
ASSAY_PER_THREAD(cudaMemset2D, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemset2DAsync(void* memory, size_t pitch, int value, size_t width, size_t height,
                                             cudaStream_t) {
  return set_rows("cudaMemset2DAsync", memory, pitch, value, width, height);
}
ASSAY_PER_THREAD(cudaMemset2DAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return set_rows("cudaMemset3D", memory.ptr, memory.pitch, value, extent.width, extent.height * extent.depth);
}
ASSAY_PER_THREAD(cudaMemset3D, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t) {
  return cudaMemset3D(memory, value, extent);
}
ASSAY_PER_THREAD(cudaMemset3DAsync, _ptsz);

ASSAY_EXPORTED cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                                              cudaMemcpyKind) {
  return with_symbol("cudaMemcpyToSymbol", symbol, bytes, offset, [&](GpuProcess&, const auto& variable) {
    std::memcpy(static_cast<char*>(variable.address) + offset, from, bytes);
    return cudaSuccess;
  });
}
ASSAY_PER_THREAD(cudaMemcpyToSymbol, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                                   cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
ASSAY_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                                cudaMemcpyKind) {
  return with_symbol("cudaMemcpyFromSymbol", symbol, bytes, offset, [&](GpuProcess& process, const auto& variable) {
    const char* const from = static_cast<const char*>(variable.address) + offset;
    return copy(process, "cudaMemcpyFromSymbol", to, from, bytes, cudaMemcpyDefault);
  });
}
ASSAY_PER_THREAD(cudaMemcpyFromSymbol, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                                     cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
ASSAY_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return with_symbol("cudaGetSymbolAddress", symbol, 0, 0, [&](GpuProcess&, const auto& variable) {
    *address = variable.address;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return with_symbol("cudaGetSymbolSize", symbol, 0, 0, [&](GpuProcess&, const auto& variable) {
    *bytes = variable.bytes;
    return cudaSuccess;
  });
}

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
    return process.allocation_of(host) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  });
}
ASSAY_EXPORTED cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  *flags = 2;  // mapped
  return cudaSuccess;
}

// Pages stay where they are, and copies are as fast from any memory. Kernels may not access it: its address is no
// device pointer.
ASSAY_EXPORTED cudaError_t cudaHostRegister(void*, size_t, unsigned) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemAdvise(const void*, size_t, int, ...) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemPrefetchAsync(const void*, size_t, ...) { return cudaSuccess; }
ASSAY_PER_THREAD(cudaMemPrefetchAsync, _ptsz);

// One pool, which keeps nothing.
ASSAY_EXPORTED cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = reinterpret_cast<cudaMemPool_t>(1);
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
ASSAY_EXPORTED cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const void*) {
  return cudaDeviceGetDefaultMemPool(pool, 0);
}
ASSAY_EXPORTED cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, int, void*) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, int, void* value) {
  std::memset(value, 0, sizeof(uint64_t));
  return cudaSuccess;
}
ASSAY_EXPORTED cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
ASSAY_EXPORTED cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const void*, size_t) { return cudaSuccess; }

}  // namespace assay::program

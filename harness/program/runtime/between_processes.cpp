// Memory, events and pools that other processes open: CUDA's handles for these, and pools as file descriptors.
//
// Limits: memory is shared as a whole allocation, as CUDA does it; races between processes are not looked for. An event
// of another process is never waited for, because whatever had been recorded there is done.
#include <fcntl.h>
#include <unistd.h>

#include <map>

#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/runtime_calls.h"
#include "harness/program/runtime/shared_memory.h"

struct CUmemPoolHandle_st {
  assay::program::SharedHandle name = {};
  int file = -1;  // that holds the name, for others
};

namespace assay::program {
namespace {

// Memory of others that this process has opened, by which process has it as which file, and how often.
struct Opened {
  void* memory = nullptr;
  int count = 0;
};
std::map<std::pair<int, int>, Opened>& opened() {
  static auto& all = *new std::map<std::pair<int, int>, Opened>;
  return all;
}

std::map<const void*, uint64_t>& pool_of_memory() {
  static auto& all = *new std::map<const void*, uint64_t>;
  return all;
}

// The default pool of the device is a number (memory.cpp).
bool is_own(cudaMemPool_t pool) { return reinterpret_cast<uintptr_t>(pool) > 1; }

cudaError_t open_memory(GpuProcess& process, const char* call, const SharedHandle& handle, void** memory) {
  if (handle.kind != SharedKind::memory || handle.bytes == 0) return cudaErrorInvalidValue;
  if (handle.process == getpid()) return cudaErrorDeviceUninitialized;  // CUDA's, for a handle of the process's own
  Opened& known = opened()[{handle.process, handle.file}];
  if (known.count == 0 || process.allocation_of(known.memory) == nullptr) {
    const int file = open_shared_file(handle.process, handle.file);
    if (file < 0) return cudaErrorMapBufferObjectFailed;
    void* const made = process.allocate(handle.bytes, Memory::device, call);
    const bool is_there = made != nullptr && put_behind(process, made, file);
    close(file);
    if (!is_there) return cudaErrorMapBufferObjectFailed;
    known = {made, 0};
  }
  ++known.count;
  *memory = known.memory;
  return cudaSuccess;
}

}  // namespace

ASSAY_EXPORTED cudaError_t cudaIpcGetMemHandle(SharedHandle* handle, void* memory) {
  return call("cudaIpcGetMemHandle", [&](GpuProcess& process) {
    if (handle == nullptr) return cudaErrorInvalidValue;
    const auto made = share(process, memory);
    if (made) *handle = *made;
    return made ? cudaSuccess : made.error();
  });
}
ASSAY_EXPORTED cudaError_t cudaIpcOpenMemHandle(void** memory, SharedHandle handle, unsigned) {
  return call("cudaIpcOpenMemHandle", [&](GpuProcess& process) {
    return memory == nullptr ? cudaErrorInvalidValue : open_memory(process, "cudaIpcOpenMemHandle", handle, memory);
  });
}
ASSAY_EXPORTED cudaError_t cudaIpcCloseMemHandle(void* memory) {
  return call("cudaIpcCloseMemHandle", [&](GpuProcess& process) {
    for (auto at = opened().begin(); at != opened().end(); ++at) {
      if (at->second.memory != memory) continue;
      if (--at->second.count > 0) return cudaSuccess;
      opened().erase(at);
      return process.free(memory, "cudaIpcCloseMemHandle") ? cudaSuccess : cudaErrorInvalidValue;
    }
    return cudaErrorInvalidValue;
  });
}

ASSAY_EXPORTED cudaError_t cudaIpcGetEventHandle(SharedHandle* handle, cudaEvent_t event) {
  return call("cudaIpcGetEventHandle", [&](GpuProcess&) {
    if (handle == nullptr || event == nullptr) return cudaErrorInvalidValue;
    *handle = {.kind = SharedKind::event, .process = getpid()};
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, SharedHandle handle) {
  return call("cudaIpcOpenEventHandle", [&](GpuProcess&) {
    if (event == nullptr || handle.kind != SharedKind::event) return cudaErrorInvalidValue;
    if (handle.process == getpid()) return cudaErrorDeviceUninitialized;
    *event = new CUevent_st;
    record_now(**event);
    return cudaSuccess;
  });
}

// A pool that others may open; every other one is the device's, which keeps nothing.
ASSAY_EXPORTED cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call("cudaMemPoolCreate", [&](GpuProcess&) {
    static uint64_t last = 0;
    if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    *pool = reinterpret_cast<cudaMemPool_t>(1);
    if (properties->handleTypes == cudaMemHandleTypeNone) return cudaSuccess;
    if (properties->handleTypes != cudaMemHandleTypePosixFileDescriptor) return cudaErrorNotSupported;
    auto* const made = new CUmemPoolHandle_st{.name = {.kind = SharedKind::pool, .process = getpid(), .group = ++last},
                                              .file = make_shared_file(1)};
    *pool = made;
    const SharedHandle& name = made->name;
    return pwrite(made->file, &name, sizeof name, 0) == sizeof name ? cudaSuccess : cudaErrorMemoryAllocation;
  });
}
ASSAY_EXPORTED cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call("cudaMemPoolDestroy", [&](GpuProcess&) {
    if (!is_own(pool)) return cudaSuccess;
    if (pool->file >= 0) close(pool->file);
    delete pool;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t pool,
                                                   cudaStream_t stream) {
  const cudaError_t error = cudaMallocAsync(memory, bytes, stream);
  if (error == cudaSuccess && is_own(pool)) pool_of_memory()[*memory] = pool->name.group;
  return error;
}
ASSAY_PER_THREAD(cudaMallocFromPoolAsync, _ptsz);

ASSAY_EXPORTED cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool,
                                                              cudaMemAllocationHandleType type, unsigned) {
  return call("cudaMemPoolExportToShareableHandle", [&](GpuProcess&) {
    if (handle == nullptr || !is_own(pool) || type != cudaMemHandleTypePosixFileDescriptor)
      return cudaErrorInvalidValue;
    *static_cast<int*>(handle) = fcntl(pool->file, F_DUPFD_CLOEXEC, 0);
    return *static_cast<int*>(handle) >= 0 ? cudaSuccess : cudaErrorOperatingSystem;
  });
}
// `handle`: the descriptor itself.
ASSAY_EXPORTED cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle,
                                                                cudaMemAllocationHandleType type, unsigned) {
  return call("cudaMemPoolImportFromShareableHandle", [&](GpuProcess&) {
    SharedHandle name;
    const auto file = static_cast<int>(reinterpret_cast<uintptr_t>(handle));
    if (pool == nullptr || type != cudaMemHandleTypePosixFileDescriptor ||
        pread(file, &name, sizeof name, 0) != sizeof name || name.kind != SharedKind::pool)
      return cudaErrorInvalidValue;
    *pool = new CUmemPoolHandle_st{.name = name};
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaMemPoolExportPointer(SharedHandle* handle, void* memory) {
  return call("cudaMemPoolExportPointer", [&](GpuProcess& process) {
    const auto pool = pool_of_memory().find(memory);
    if (handle == nullptr || pool == pool_of_memory().end()) return cudaErrorInvalidValue;
    const auto made = share(process, memory);
    if (!made) return made.error();
    *handle = *made;
    handle->group = pool->second;
    return cudaSuccess;
  });
}
ASSAY_EXPORTED cudaError_t cudaMemPoolImportPointer(void** memory, cudaMemPool_t pool, SharedHandle* handle) {
  return call("cudaMemPoolImportPointer", [&](GpuProcess& process) {
    if (memory == nullptr || handle == nullptr || !is_own(pool) || handle->process != pool->name.process ||
        handle->group != pool->name.group)
      return cudaErrorInvalidValue;
    return open_memory(process, "cudaMemPoolImportPointer", *handle, memory);
  });
}
ASSAY_EXPORTED cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t, const cudaMemLocation*) {
  if (flags == nullptr) return cudaErrorInvalidValue;
  *flags = cudaMemAccessFlagsProtReadWrite;
  return cudaSuccess;
}

}  // namespace assay::program

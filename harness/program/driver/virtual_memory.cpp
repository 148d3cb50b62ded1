// Memory that a program maps itself: a handle of memory, and a range of addresses that it is put behind.
//
// Limits: a handle is mapped whole, once, behind a range that was reserved for it alone. All else fails, and says so.
// Memory that other processes share counts as written.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "harness/program/driver/result.h"
#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/shared_memory.h"

namespace assay::program {
namespace {

constexpr size_t kGranularity = size_t{2} << 20;
constexpr int kPinned = 1, kOnDevice = 1, kFileDescriptor = 1;

struct AllocationProperties {
  int type, requested_handles, location, device;
  void* windows;
  unsigned char compression, rdma;
  unsigned short usage;
  unsigned char reserved[4];
};
struct Handle {
  size_t bytes = 0;
  AllocationProperties properties{};
  bool was_mapped = false;
  int file = -1;  // that other processes may map; -1: none may
};
struct Range {
  size_t bytes = 0;
  unsigned long long handle = 0;  // 0: nothing is mapped there
};
struct VirtualMemory {
  std::map<unsigned long long, Handle> handles;
  std::map<CUdeviceptr, Range> ranges;
  unsigned long long next_handle = 1;
};
VirtualMemory& memory() {
  static auto& all = *new VirtualMemory;
  return all;
}

CUresult not_done(GpuProcess& process, const char* call, const char* what) {
  process.log().unsupported(fmt::format("{} {}", call, what));
  return CUDA_ERROR_NOT_SUPPORTED;
}

template <class Body>
CUresult of_memory(const char* name, Body body) {
  CUresult result = CUDA_SUCCESS;
  const cudaError_t error = call(name, [&](GpuProcess& process) {
    result = body(process);
    return cudaSuccess;
  });
  return error != cudaSuccess ? result_of(error) : result;
}

}  // namespace

ASSAY_EXPORTED CUresult cuMemGetAllocationGranularity(size_t* bytes, const AllocationProperties* properties, int) {
  if (bytes == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *bytes = kGranularity;
  return CUDA_SUCCESS;
}
ASSAY_EXPORTED CUresult cuMemCreate(unsigned long long* handle, size_t bytes, const AllocationProperties* properties,
                                    unsigned long long flags) {
  return of_memory("cuMemCreate", [&](GpuProcess& process) {
    if (handle == nullptr || properties == nullptr || flags != 0 || bytes == 0 || bytes % kGranularity != 0)
      return CUDA_ERROR_INVALID_VALUE;
    if ((properties->requested_handles & ~kFileDescriptor) != 0)
      return not_done(process, "cuMemCreate", "of memory that other processes get by something else than a descriptor");
    if (properties->type != kPinned || properties->location != kOnDevice)
      return not_done(process, "cuMemCreate", "of memory that is not the device's");
    if (properties->device != 0) return CUDA_ERROR_INVALID_DEVICE;
    *handle = memory().next_handle++;
    const int file = properties->requested_handles == 0 ? -1 : make_shared_file(bytes);
    if (properties->requested_handles != 0 && file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    memory().handles[*handle] = {bytes, *properties, false, file};
    return CUDA_SUCCESS;
  });
}
ASSAY_EXPORTED CUresult cuMemRelease(unsigned long long handle) {
  return of_memory("cuMemRelease", [&](GpuProcess&) {
    const auto found = memory().handles.find(handle);
    if (found == memory().handles.end()) return CUDA_ERROR_INVALID_VALUE;
    if (found->second.file >= 0) close(found->second.file);
    memory().handles.erase(found);
    return CUDA_SUCCESS;
  });
}
ASSAY_EXPORTED CUresult cuMemGetAllocationPropertiesFromHandle(AllocationProperties* properties,
                                                               unsigned long long handle) {
  return of_memory("cuMemGetAllocationPropertiesFromHandle", [&](GpuProcess&) {
    const auto found = memory().handles.find(handle);
    if (properties == nullptr || found == memory().handles.end()) return CUDA_ERROR_INVALID_VALUE;
    *properties = found->second.properties;
    return CUDA_SUCCESS;
  });
}

// A descriptor is an int where it is given, and the pointer itself where it is taken.
ASSAY_EXPORTED CUresult cuMemExportToShareableHandle(void* shareable, unsigned long long handle, int type,
                                                     unsigned long long) {
  return of_memory("cuMemExportToShareableHandle", [&](GpuProcess&) {
    const auto found = memory().handles.find(handle);
    if (shareable == nullptr || type != kFileDescriptor || found == memory().handles.end() || found->second.file < 0)
      return CUDA_ERROR_INVALID_VALUE;
    *static_cast<int*>(shareable) = fcntl(found->second.file, F_DUPFD_CLOEXEC, 0);
    return CUDA_SUCCESS;
  });
}
ASSAY_EXPORTED CUresult cuMemImportFromShareableHandle(unsigned long long* handle, void* shareable, int type) {
  return of_memory("cuMemImportFromShareableHandle", [&](GpuProcess&) {
    struct stat about {};
    const auto given = static_cast<int>(reinterpret_cast<uintptr_t>(shareable));
    if (handle == nullptr || type != kFileDescriptor || fstat(given, &about) != 0 || about.st_size <= 0)
      return CUDA_ERROR_INVALID_VALUE;
    AllocationProperties properties{};
    properties.type = kPinned, properties.location = kOnDevice, properties.requested_handles = kFileDescriptor;
    *handle = memory().next_handle++;
    memory().handles[*handle] = {static_cast<size_t>(about.st_size), properties, false,
                                 fcntl(given, F_DUPFD_CLOEXEC, 0)};
    return CUDA_SUCCESS;
  });
}

ASSAY_EXPORTED CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr,
                                            unsigned long long flags) {
  return of_memory("cuMemAddressReserve", [&](GpuProcess& process) {
    if (address == nullptr || bytes == 0 || bytes % kGranularity != 0 || flags != 0 ||
        (alignment & (alignment - 1)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    void* const begin = process.reserve_range(bytes, "cuMemAddressReserve", std::max(alignment, kGranularity));
    if (begin == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = reinterpret_cast<CUdeviceptr>(begin);
    memory().ranges[*address] = {bytes, 0};
    return CUDA_SUCCESS;
  });
}
ASSAY_EXPORTED CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return of_memory("cuMemAddressFree", [&](GpuProcess&) {
    const auto found = memory().ranges.find(address);
    if (found == memory().ranges.end() || found->second.bytes != bytes || found->second.handle != 0)
      return CUDA_ERROR_INVALID_VALUE;
    memory().ranges.erase(found);
    return CUDA_SUCCESS;
  });
}
ASSAY_EXPORTED CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, unsigned long long handle,
                                 unsigned long long flags) {
  return of_memory("cuMemMap", [&](GpuProcess& process) {
    const auto found = memory().handles.find(handle);
    const auto range = memory().ranges.find(address);
    if (found == memory().handles.end() || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (offset != 0 || found->second.bytes != bytes || range == memory().ranges.end() || range->second.bytes != bytes)
      return not_done(process, "cuMemMap", "of a part of a range, or of a handle");
    if (found->second.was_mapped) return not_done(process, "cuMemMap", "of a handle for the second time");
    if (range->second.handle != 0) return CUDA_ERROR_INVALID_VALUE;
    found->second.was_mapped = true;
    range->second.handle = handle;
    auto* const begin = reinterpret_cast<void*>(address);
    process.open_range(begin);
    const int file = found->second.file;
    return file < 0 || put_behind(process, begin, file) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  });
}
ASSAY_EXPORTED CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return of_memory("cuMemUnmap", [&](GpuProcess& process) {
    const auto range = memory().ranges.find(address);
    if (range == memory().ranges.end() || range->second.bytes != bytes || range->second.handle == 0)
      return CUDA_ERROR_INVALID_VALUE;
    range->second.handle = 0;
    process.free(reinterpret_cast<void*>(address), "cuMemUnmap");
    return CUDA_SUCCESS;
  });
}
// Whoever may read may write here, and there is one device.
ASSAY_EXPORTED CUresult cuMemSetAccess(CUdeviceptr address, size_t, const void* accesses, size_t) {
  return of_memory("cuMemSetAccess", [&](GpuProcess&) {
    const auto range = memory().ranges.find(address);
    return accesses == nullptr || range == memory().ranges.end() || range->second.handle == 0 ? CUDA_ERROR_INVALID_VALUE
                                                                                              : CUDA_SUCCESS;
  });
}

}  // namespace assay::program

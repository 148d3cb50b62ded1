// Memory that a program maps itself: a handle of memory, and a range of addresses that it is put behind.
//
// Limits: a handle is mapped whole, once, behind a range that was reserved for it alone, and is not shared between
// processes. All else fails, and says so.
#include <fmt/format.h>

#include <map>

#include "harness/program/driver/result.h"
#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

constexpr size_t kGranularity = size_t{2} << 20;
constexpr int kPinned = 1, kOnDevice = 1;

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
    if (properties->requested_handles != 0) return not_done(process, "cuMemCreate", "of memory for other processes");
    if (properties->type != kPinned || properties->location != kOnDevice)
      return not_done(process, "cuMemCreate", "of memory that is not the device's");
    if (properties->device != 0) return CUDA_ERROR_INVALID_DEVICE;
    *handle = memory().next_handle++;
    memory().handles[*handle] = {bytes, *properties, false};
    return CUDA_SUCCESS;
  });
}
ASSAY_EXPORTED CUresult cuMemRelease(unsigned long long handle) {
  return of_memory("cuMemRelease", [&](GpuProcess&) {
    return memory().handles.erase(handle) == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  });
}
ASSAY_EXPORTED CUresult cuMemGetAllocationPropertiesFromHandle(AllocationProperties* properties,
                                                               unsigned long long handle) {
  return of_memory("cuMemGetAllocationPropertiesFromHandle", [&](GpuProcess&) {
    const auto found = memory().handles.find(handle);
    if (properties == nullptr || found == memory().handles.end()) return CUDA_ERROR_INVALID_VALUE;
    *properties = found->second.properties;
    properties->compression = 0;  // what is asked for is not promised
    return CUDA_SUCCESS;
  });
}

ASSAY_EXPORTED CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr,
                                            unsigned long long flags) {
  return of_memory("cuMemAddressReserve", [&](GpuProcess& process) {
    if (address == nullptr || bytes == 0 || bytes % kGranularity != 0 || flags != 0 ||
        (alignment & (alignment - 1)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    void* const begin = process.reserve_range(bytes, "cuMemAddressReserve");
    if (begin == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    if (alignment > 256 && reinterpret_cast<uintptr_t>(begin) % alignment != 0)
      return not_done(process, "cuMemAddressReserve", "at an alignment of more than 256 bytes");
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
    process.open_range(reinterpret_cast<void*>(address));
    return CUDA_SUCCESS;
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

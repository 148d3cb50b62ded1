// Memory: allocations, copies and sets.
#include <string>

#include "harness/program/driver/result.h"
#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/runtime_calls.h"

namespace assay::program {
namespace {

constexpr size_t kPitch = 512;

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUresult allocate(const char* name, CUdeviceptr* address, size_t bytes, Memory kind) {
  return result_of(call(name, [&](GpuProcess& process) {
    if (address == nullptr || bytes == 0) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_unsafe(); error != cudaSuccess) return error;
    *address = reinterpret_cast<CUdeviceptr>(process.allocate(bytes, kind, name));
    return *address != 0 ? cudaSuccess : cudaErrorMemoryAllocation;
  }));
}

CUresult release(const char* name, void* memory) {
  return result_of(call(name, [&](GpuProcess& process) {
    if (const cudaError_t error = check_unsafe(); error != cudaSuccess) return error;
    return memory == nullptr || process.free(memory, name) ? cudaSuccess : cudaErrorInvalidValue;
  }));
}

// Does work and waits for it.
CUresult now(const char* name, const Work& work) {
  return result_of(call(name, [&](GpuProcess&) {
    const cudaError_t error = check_synchronous();
    return error != cudaSuccess ? error : run(name, work);
  }));
}

CUresult later(const char* name, cudaStream_t stream, const Work& work) {
  return result_of(submit(name, stream, work));
}

SetWork set_of(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes, size_t width, size_t height) {
  return {{.dst = pointer(to),
           .pitch = pitch,
           .value = value,
           .elementSize = element_bytes,
           .width = width,
           .height = height}};
}

bool has_array(const CUDA_MEMCPY2D& given) {
  return given.dstMemoryType == CU_MEMORYTYPE_ARRAY || given.srcMemoryType == CU_MEMORYTYPE_ARRAY;
}

bool is_host(CUmemorytype memory) { return memory == CU_MEMORYTYPE_HOST; }

// A copy from or to an array, by the runtime's.
CUresult copy_array(const CUDA_MEMCPY2D& given, cudaStream_t stream, bool is_synchronous) {
  auto* const to = static_cast<cudaArray_t>(given.dstArray);
  auto* const from = static_cast<cudaArray_t>(given.srcArray);
  const char* const source =
      static_cast<const char*>(is_host(given.srcMemoryType) ? given.srcHost : pointer(given.srcDevice)) +
      given.srcY * given.srcPitch + given.srcXInBytes;
  char* const destination =
      static_cast<char*>(is_host(given.dstMemoryType) ? given.dstHost : pointer(given.dstDevice)) +
      given.dstY * given.dstPitch + given.dstXInBytes;
  const size_t width = given.WidthInBytes, height = given.Height;
  if (given.srcMemoryType == CU_MEMORYTYPE_ARRAY && given.dstMemoryType == CU_MEMORYTYPE_ARRAY)
    return !is_synchronous
               ? CUDA_ERROR_NOT_SUPPORTED
               : result_of(cudaMemcpy2DArrayToArray(to, given.dstXInBytes, given.dstY, from, given.srcXInBytes,
                                                    given.srcY, width, height, cudaMemcpyDeviceToDevice));
  if (given.dstMemoryType == CU_MEMORYTYPE_ARRAY) {
    const auto kind = is_host(given.srcMemoryType) ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
    const size_t pitch = given.srcPitch != 0 ? given.srcPitch : width;
    return result_of(
        is_synchronous
            ? cudaMemcpy2DToArray(to, given.dstXInBytes, given.dstY, source, pitch, width, height, kind)
            : cudaMemcpy2DToArrayAsync(to, given.dstXInBytes, given.dstY, source, pitch, width, height, kind, stream));
  }
  const auto kind = is_host(given.dstMemoryType) ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
  const size_t pitch = given.dstPitch != 0 ? given.dstPitch : width;
  return result_of(is_synchronous ? cudaMemcpy2DFromArray(destination, pitch, from, given.srcXInBytes, given.srcY,
                                                          width, height, kind)
                                  : cudaMemcpy2DFromArrayAsync(destination, pitch, from, given.srcXInBytes, given.srcY,
                                                               width, height, kind, stream));
}

Work copy_of(const CUDA_MEMCPY2D& given) {
  cudaMemcpy3DParms params{};
  params.srcPtr.ptr =
      given.srcMemoryType == CU_MEMORYTYPE_HOST ? const_cast<void*>(given.srcHost) : pointer(given.srcDevice);
  params.dstPtr.ptr = given.dstMemoryType == CU_MEMORYTYPE_HOST ? given.dstHost : pointer(given.dstDevice);
  params.srcPtr.pitch = given.srcPitch != 0 ? given.srcPitch : given.WidthInBytes;
  params.dstPtr.pitch = given.dstPitch != 0 ? given.dstPitch : given.WidthInBytes;
  params.srcPos = {given.srcXInBytes, given.srcY, 0};
  params.dstPos = {given.dstXInBytes, given.dstY, 0};
  params.extent = {given.WidthInBytes, given.Height, 1};
  params.kind = cudaMemcpyDefault;
  return CopyWork{params};
}

}  // namespace

ASSAY_EXPORTED CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return allocate("cuMemAlloc", address, bytes, Memory::device);
}
ASSAY_EXPORTED CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned) {
  return allocate("cuMemAllocManaged", address, bytes, Memory::managed);
}
ASSAY_EXPORTED CUresult cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned) {
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return allocate("cuMemAllocPitch", address, *pitch * height, Memory::device);
}
ASSAY_EXPORTED CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned) {
  return allocate("cuMemHostAlloc", reinterpret_cast<CUdeviceptr*>(memory), bytes, Memory::host);
}
ASSAY_EXPORTED CUresult cuMemAllocHost_v2(void** memory, size_t bytes) {
  return allocate("cuMemAllocHost", reinterpret_cast<CUdeviceptr*>(memory), bytes, Memory::host);
}
ASSAY_EXPORTED CUresult cuMemFree_v2(CUdeviceptr address) { return release("cuMemFree", pointer(address)); }
ASSAY_EXPORTED CUresult cuIpcGetMemHandle(SharedHandle* handle, CUdeviceptr address) {
  return result_of(cudaIpcGetMemHandle(handle, pointer(address)));
}
ASSAY_EXPORTED CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, SharedHandle handle, unsigned flags) {
  return result_of(cudaIpcOpenMemHandle(reinterpret_cast<void**>(address), handle, flags));
}
ASSAY_EXPORTED CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return result_of(cudaIpcCloseMemHandle(pointer(address)));
}
ASSAY_EXPORTED CUresult cuIpcGetEventHandle(SharedHandle* handle, cudaEvent_t event) {
  return result_of(cudaIpcGetEventHandle(handle, event));
}
ASSAY_EXPORTED CUresult cuIpcOpenEventHandle(cudaEvent_t* event, SharedHandle handle) {
  return result_of(cudaIpcOpenEventHandle(event, handle));
}
ASSAY_EXPORTED CUresult cuMemFreeHost(void* memory) { return release("cuMemFreeHost", memory); }
ASSAY_EXPORTED CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* memory, unsigned) {
  return result_of(call("cuMemHostGetDevicePointer", [&](GpuProcess& process) {
    *address = reinterpret_cast<CUdeviceptr>(memory);
    return process.allocation_of(memory) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
  }));
}
ASSAY_EXPORTED CUresult cuMemGetInfo_v2(size_t* free, size_t* total) { return result_of(cudaMemGetInfo(free, total)); }

ASSAY_EXPORTED CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return now("cuMemcpy", linear_copy(pointer(to), pointer(from), bytes, cudaMemcpyDefault));
}
ASSAY_PER_THREAD(cuMemcpy, _ptds);
ASSAY_EXPORTED CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return now("cuMemcpyHtoD", linear_copy(pointer(to), from, bytes, cudaMemcpyHostToDevice));
}
ASSAY_PER_THREAD(cuMemcpyHtoD_v2, _ptds);
ASSAY_EXPORTED CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return now("cuMemcpyDtoH", linear_copy(to, pointer(from), bytes, cudaMemcpyDeviceToHost));
}
ASSAY_PER_THREAD(cuMemcpyDtoH_v2, _ptds);
ASSAY_EXPORTED CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return now("cuMemcpyDtoD", linear_copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
ASSAY_PER_THREAD(cuMemcpyDtoD_v2, _ptds);
ASSAY_EXPORTED CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, cudaStream_t stream) {
  return later("cuMemcpyAsync", stream, linear_copy(pointer(to), pointer(from), bytes, cudaMemcpyDefault));
}
ASSAY_PER_THREAD(cuMemcpyAsync, _ptsz);
ASSAY_EXPORTED CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, cudaStream_t stream) {
  return later("cuMemcpyHtoDAsync", stream, linear_copy(pointer(to), from, bytes, cudaMemcpyHostToDevice));
}
ASSAY_PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz);
ASSAY_EXPORTED CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, cudaStream_t stream) {
  return later("cuMemcpyDtoHAsync", stream, linear_copy(to, pointer(from), bytes, cudaMemcpyDeviceToHost));
}
ASSAY_PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz);
ASSAY_EXPORTED CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, cudaStream_t stream) {
  return later("cuMemcpyDtoDAsync", stream, linear_copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
ASSAY_PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz);
ASSAY_EXPORTED CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* given) {
  return has_array(*given) ? copy_array(*given, nullptr, true) : now("cuMemcpy2D", copy_of(*given));
}
ASSAY_PER_THREAD(cuMemcpy2D_v2, _ptds);
ASSAY_EXPORTED CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* given) { return cuMemcpy2D_v2(given); }
ASSAY_PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds);
ASSAY_EXPORTED CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* given, cudaStream_t stream) {
  return has_array(*given) ? copy_array(*given, stream, false) : later("cuMemcpy2DAsync", stream, copy_of(*given));
}
ASSAY_PER_THREAD(cuMemcpy2DAsync_v2, _ptsz);

// cuMemsetD8, D16 and D32, in one row and in several, now and in a stream.
#define ASSAY_MEMSET(bits, type)                                                                                  \
  ASSAY_EXPORTED CUresult cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count) {                        \
    return now("cuMemsetD" #bits, set_of(to, 0, value, bits / 8, count, 1));                                      \
  }                                                                                                               \
  ASSAY_PER_THREAD(cuMemsetD##bits##_v2, _ptds);                                                                  \
  ASSAY_EXPORTED CUresult cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, cudaStream_t stream) { \
    return later("cuMemsetD" #bits "Async", stream, set_of(to, 0, value, bits / 8, count, 1));                    \
  }                                                                                                               \
  ASSAY_PER_THREAD(cuMemsetD##bits##Async, _ptsz);                                                                \
  ASSAY_EXPORTED CUresult cuMemsetD2D##bits##_v2(CUdeviceptr to, size_t pitch, type value, size_t width,          \
                                                 size_t height) {                                                 \
    return now("cuMemsetD2D" #bits, set_of(to, pitch, value, bits / 8, width, height));                           \
  }                                                                                                               \
  ASSAY_PER_THREAD(cuMemsetD2D##bits##_v2, _ptds);                                                                \
  ASSAY_EXPORTED CUresult cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width,        \
                                                   size_t height, cudaStream_t stream) {                          \
    return later("cuMemsetD2D" #bits "Async", stream, set_of(to, pitch, value, bits / 8, width, height));         \
  }                                                                                                               \
  ASSAY_PER_THREAD(cuMemsetD2D##bits##Async, _ptsz)

ASSAY_MEMSET(8, unsigned char);
ASSAY_MEMSET(16, unsigned short);
ASSAY_MEMSET(32, unsigned);

}  // namespace assay::program

// Memory that is set.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "harness/program/runtime/capture.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/memory_work.h"
#include "harness/program/runtime/stream_races.h"
#include "harness/simt/include/simt/device_memory.h"

namespace assay::program {
namespace {

SetWork set_of(void* memory, size_t pitch, int value, size_t width, size_t height) {
  return {{.dst = memory,
           .pitch = pitch,
           .value = static_cast<unsigned char>(value),
           .elementSize = 1,
           .width = width,
           .height = height}};
}

cudaError_t set(const char* name, void* memory, int value, size_t bytes) {
  return call(name, [&](GpuProcess& process) {
    if (bytes == 0) return cudaSuccess;
    if (!is_on_device(process, memory)) {
      process.found(simt::Kind::out_of_bounds, fmt::format("{} of {}, which is no device memory", name, memory), name);
      return cudaErrorInvalidValue;
    }
    if (!simt::device_set(memory, value, bytes, name)) return cudaErrorInvalidValue;
    was_set(name, memory, bytes);
    return cudaSuccess;
  });
}

cudaError_t set_rows(const char* name, void* memory, size_t pitch, int value, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row)
    if (const cudaError_t error = set(name, static_cast<char*>(memory) + row * pitch, value, width);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}

}  // namespace

cudaError_t set_elements(const char* name, const cudaMemsetParams& given) {
  const size_t size = given.elementSize, width = given.width * size;
  const size_t pitch = given.height > 1 ? given.pitch : width;  // of one row it means nothing
  if (size != 1 && size != 2 && size != 4) return cudaErrorInvalidValue;
  if (size == 1) return set_rows(name, given.dst, pitch, static_cast<int>(given.value), width, given.height);
  std::vector<char> row(width);
  for (size_t i = 0; i < width; i += size) std::memcpy(&row[i], &given.value, size);
  return copy_rows(name, given.dst, pitch, row.data(), width, width, given.height, cudaMemcpyHostToDevice);
}

ASSAY_EXPORTED cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  return synchronous("cudaMemset", [&] { return set("cudaMemset", memory, value, bytes); });
}
ASSAY_PER_THREAD(cudaMemset, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  return submit("cudaMemsetAsync", stream, set_of(memory, bytes, value, bytes, 1));
}
ASSAY_PER_THREAD(cudaMemsetAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemset2D(void* memory, size_t pitch, int value, size_t width, size_t height) {
  return synchronous("cudaMemset2D", [&] { return set_rows("cudaMemset2D", memory, pitch, value, width, height); });
}
ASSAY_PER_THREAD(cudaMemset2D, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemset2DAsync(void* memory, size_t pitch, int value, size_t width, size_t height,
                                             cudaStream_t stream) {
  return submit("cudaMemset2DAsync", stream, set_of(memory, pitch, value, width, height));
}
ASSAY_PER_THREAD(cudaMemset2DAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent) {
  return synchronous("cudaMemset3D", [&] {
    return set_rows("cudaMemset3D", memory.ptr, memory.pitch, value, extent.width, extent.height * extent.depth);
  });
}
ASSAY_PER_THREAD(cudaMemset3D, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream) {
  return submit("cudaMemset3DAsync", stream,
                set_of(memory.ptr, memory.pitch, value, extent.width, extent.height * extent.depth));
}
ASSAY_PER_THREAD(cudaMemset3DAsync, _ptsz);

}  // namespace assay::program

// Copies of bytes, and of boxes of bytes, with what is wrong about them.
#include "harness/program/runtime/copies.h"

#include <fmt/format.h>

#include "harness/program/runtime/modules.h"
#include "harness/program/runtime/stream_races.h"
#include "harness/simt/include/simt/device_memory.h"

namespace assay::program {
namespace {

// Whether both sides are what the kind of copy says; Default takes any.
bool fits(const GpuProcess& process, const void* to, const void* from, cudaMemcpyKind kind) {
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return (!to_device || is_on_device(process, to)) && (!from_device || is_on_device(process, from));
}

}  // namespace

bool is_on_device(const GpuProcess& process, const void* address) {
  return process.allocation_of(address) != nullptr || Modules::get().is_variable(address);
}

cudaError_t copy(GpuProcess& process, const char* name, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return cudaErrorInvalidValue;
  if (!fits(process, to, from, kind)) {
    constexpr const char* kKinds[] = {"HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice", "Default"};
    process.found(
        simt::Kind::out_of_bounds,
        fmt::format("{} with cudaMemcpy{} of {} bytes, and {} is no device memory", name, kKinds[kind], bytes,
                    kind == cudaMemcpyDeviceToHost || is_on_device(process, to) ? "the source" : "the destination"),
        name);
    return cudaErrorInvalidValue;
  }
  if (!simt::device_copy(to, from, bytes, name)) return cudaErrorInvalidValue;
  copied(name, to, from, bytes);
  return cudaSuccess;
}

cudaError_t copy_box(GpuProcess& process, const char* name, const Box& to, const Box& from, size_t width, size_t height,
                     size_t depth, cudaMemcpyKind kind) {
  if (width > to.row_bytes || width > from.row_bytes) return cudaErrorInvalidPitchValue;
  for (size_t z = 0; z < depth; ++z)
    for (size_t y = 0; y < height; ++y)
      if (const cudaError_t error = copy(process, name, to.begin + z * to.slice_bytes + y * to.row_bytes,
                                         from.begin + z * from.slice_bytes + y * from.row_bytes, width, kind);
          error != cudaSuccess)
        return error;
  return cudaSuccess;
}

}  // namespace assay::program

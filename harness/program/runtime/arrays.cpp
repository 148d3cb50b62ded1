// Arrays: allocation, formats, and what programs ask of them.
#include "harness/program/runtime/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "harness/program/device_limits.h"
#include "harness/program/runtime/exported.h"

namespace assay::program {
namespace {

std::vector<std::unique_ptr<cudaArray>>& living_arrays() {
  static auto& all = *new std::vector<std::unique_ptr<cudaArray>>;
  return all;
}

auto place_of(const cudaArray* array) {
  return std::ranges::find_if(living_arrays(), [&](const auto& each) { return each.get() == array; });
}

constexpr unsigned kKnownFlags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;

// Kind and extents by the table of cudaMalloc3DArray. False: there are no such arrays.
bool set_extents(simt::Image& image, const cudaExtent& extent, unsigned flags) {
  const bool is_layered = (flags & cudaArrayLayered) != 0, is_cube = (flags & cudaArrayCubemap) != 0;
  if (extent.width == 0 || std::max({extent.width, extent.height, extent.depth}) > kTextureWidthMax) return false;
  if (is_cube && (extent.height != extent.width || extent.depth == 0 || extent.depth % 6 != 0 ||
                  (!is_layered && extent.depth != 6)))
    return false;
  if (is_layered && extent.depth == 0) return false;
  if (!is_layered && extent.height == 0 && extent.depth != 0) return false;
  image.kind = is_cube                           ? simt::ImageKind::cube
               : extent.height == 0              ? simt::ImageKind::line
               : is_layered || extent.depth == 0 ? simt::ImageKind::plane
                                                 : simt::ImageKind::volume;
  image.is_layered = is_layered;
  image.width = static_cast<uint32_t>(extent.width);
  image.height = static_cast<uint32_t>(std::max<size_t>(extent.height, 1));
  image.slices = static_cast<uint32_t>(std::max<size_t>(extent.depth, 1));
  image.row_bytes = image.width * image.texel_bytes();
  image.slice_bytes = image.row_bytes * image.height;
  return true;
}

cudaError_t allocate_array(const char* name, cudaArray_t* array, const cudaChannelFormatDesc* format,
                           const cudaExtent& extent, unsigned flags) {
  return call(name, [&](GpuProcess& process) {
    if (array == nullptr || format == nullptr) return cudaErrorInvalidValue;
    if ((flags & ~kKnownFlags) != 0) {
      process.log().unsupported(fmt::format("{} with flags {:#x}", name, flags));
      return cudaErrorNotSupported;
    }
    auto made = std::make_unique<cudaArray>(cudaArray{{}, *format, extent, flags});
    if (const cudaError_t error = set_format(made->image, *format); error != cudaSuccess) return error;
    if (!set_extents(made->image, extent, flags)) return cudaErrorInvalidValue;
    void* const memory = process.allocate(made->image.slice_bytes * made->image.slices, Memory::device, name);
    if (memory == nullptr) return cudaErrorMemoryAllocation;
    made->image.memory = static_cast<std::byte*>(memory);
    *array = made.get();
    living_arrays().push_back(std::move(made));
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t set_format(simt::Image& image, const cudaChannelFormatDesc& format) {
  if (format.f > cudaChannelFormatKindNone) {  // planes of video, and normalised or compressed formats
    GpuProcess::get().log().unsupported(fmt::format("a channel format of kind {}", static_cast<int>(format.f)));
    return cudaErrorNotSupported;
  }
  const int bits = format.x;
  const auto is = [&](int y, int z, int w) { return format.y == y && format.z == z && format.w == w; };
  const int count = is(0, 0, 0) ? 1 : is(bits, 0, 0) ? 2 : is(bits, bits, bits) ? 4 : 0;
  const bool is_float = format.f == cudaChannelFormatKindFloat;
  if (count == 0 || format.f == cudaChannelFormatKindNone || (bits != 8 && bits != 16 && bits != 32) ||
      (is_float && bits == 8))
    return cudaErrorInvalidChannelDescriptor;
  image.channels = is_float                                  ? simt::Channels::floats
                   : format.f == cudaChannelFormatKindSigned ? simt::Channels::signed_integers
                                                             : simt::Channels::unsigned_integers;
  image.channel_bits = static_cast<uint8_t>(bits);
  image.channel_count = static_cast<uint8_t>(count);
  return cudaSuccess;
}

const cudaArray* array_of(GpuProcess& process, const char* name, const cudaArray* array) {
  if (place_of(array) != living_arrays().end()) return array;
  process.found(simt::Kind::out_of_bounds,
                fmt::format("{} of an array that no call returned, or that is freed already", name), name);
  return nullptr;
}

ASSAY_EXPORTED cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                                           size_t height, unsigned flags) {
  return allocate_array("cudaMallocArray", array, format, {width, height, 0}, flags);
}
ASSAY_EXPORTED cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                                             unsigned flags) {
  return allocate_array("cudaMalloc3DArray", array, format, extent, flags);
}

ASSAY_EXPORTED cudaError_t cudaFreeArray(cudaArray_t array) {
  return call("cudaFreeArray", [&](GpuProcess& process) {
    if (array == nullptr) return cudaSuccess;
    if (array_of(process, "cudaFreeArray", array) == nullptr) return cudaErrorInvalidValue;
    process.free(array->image.memory, "cudaFreeArray");
    living_arrays().erase(place_of(array));
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                                            cudaArray_t array) {
  return call("cudaArrayGetInfo", [&](GpuProcess& process) {
    const cudaArray* const known = array_of(process, "cudaArrayGetInfo", array);
    if (known == nullptr) return cudaErrorInvalidResourceHandle;
    if (format != nullptr) *format = known->format;
    if (extent != nullptr) *extent = known->extent;
    if (flags != nullptr) *flags = known->flags;
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, const cudaArray* array) {
  return call("cudaGetChannelDesc", [&](GpuProcess& process) {
    const cudaArray* const known = array_of(process, "cudaGetChannelDesc", array);
    if (known == nullptr) return cudaErrorInvalidResourceHandle;
    *format = known->format;
    return cudaSuccess;
  });
}

ASSAY_EXPORTED cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

}  // namespace assay::program

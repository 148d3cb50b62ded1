// Copies to, from and between arrays, and those of boxes, which may have one at either side.
#include <fmt/format.h>

#include <optional>

#include "harness/program/runtime/arrays.h"
#include "harness/program/runtime/copies.h"
#include "harness/program/runtime/exported.h"
#include "harness/program/runtime/memory_work.h"

namespace assay::program {
namespace {

// A box of an array from byte x of a row on; nothing, with a finding, where it reaches beyond the array.
std::optional<Box> box_of(GpuProcess& process, const char* name, const cudaArray* handle, size_t x, const cudaPos& at,
                          size_t width, size_t height, size_t depth) {
  const cudaArray* const array = array_of(process, name, handle);
  if (array == nullptr) return std::nullopt;
  const simt::Image& image = array->image;
  const auto fits = [](size_t begin, size_t length, size_t room) { return begin <= room && length <= room - begin; };
  if (!fits(x, width, image.row_bytes) || !fits(at.y, height, image.height) || !fits(at.z, depth, image.slices)) {
    process.found(simt::Kind::out_of_bounds,
                  fmt::format("{} of {} bytes by {} by {} from byte {}, row {}, slice {} of an array of {} bytes by {} "
                              "by {}",
                              name, width, height, depth, x, at.y, at.z, image.row_bytes, image.height, image.slices),
                  name);
    return std::nullopt;
  }
  char* const begin = reinterpret_cast<char*>(image.memory) + at.z * image.slice_bytes + at.y * image.row_bytes + x;
  return Box{begin, image.row_bytes, image.slice_bytes};
}

cudaError_t copy_to_array(const char* name, const cudaArray* to, size_t x, size_t y, const void* from, size_t pitch,
                          size_t width, size_t height, cudaMemcpyKind kind) {
  return call(name, [&](GpuProcess& process) {
    const auto box = box_of(process, name, to, x, {0, y, 0}, width, height, 1);
    if (!box) return cudaErrorInvalidValue;
    return copy_box(process, name, *box, {static_cast<char*>(const_cast<void*>(from)), pitch, 0}, width, height, 1,
                    kind);
  });
}

cudaError_t copy_from_array(const char* name, void* to, size_t pitch, const cudaArray* from, size_t x, size_t y,
                            size_t width, size_t height, cudaMemcpyKind kind) {
  return call(name, [&](GpuProcess& process) {
    const auto box = box_of(process, name, from, x, {0, y, 0}, width, height, 1);
    if (!box) return cudaErrorInvalidValue;
    return copy_box(process, name, {static_cast<char*>(to), pitch, 0}, *box, width, height, 1, kind);
  });
}

// Where `bytes` begin that go on from row to row, of which an array here has no gaps between; null, with a finding,
// where the array has not so many.
char* run_of(GpuProcess& process, const char* name, const cudaArray* handle, size_t x, size_t y, size_t bytes) {
  const cudaArray* const array = array_of(process, name, handle);
  if (array == nullptr) return nullptr;
  const simt::Image& image = array->image;
  const size_t begin = y * image.row_bytes + x, room = image.slice_bytes;
  if (x < image.row_bytes && y < image.height && bytes <= room - begin)
    return reinterpret_cast<char*>(image.memory) + begin;
  process.found(simt::Kind::out_of_bounds,
                fmt::format("{} of {} bytes from byte {} of row {} of an array of {} bytes by {}", name, bytes, x, y,
                            image.row_bytes, image.height),
                name);
  return nullptr;
}

cudaError_t copy_run_to_array(const char* name, const cudaArray* to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  return call(name, [&](GpuProcess& process) {
    char* const begin = run_of(process, name, to, x, y, bytes);
    return begin == nullptr ? cudaErrorInvalidValue : copy(process, name, begin, from, bytes, kind);
  });
}

cudaError_t copy_run_from_array(const char* name, void* to, const cudaArray* from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return call(name, [&](GpuProcess& process) {
    const char* const begin = run_of(process, name, from, x, y, bytes);
    return begin == nullptr ? cudaErrorInvalidValue : copy(process, name, to, begin, bytes, kind);
  });
}

// One side of cudaMemcpy3D, whose extent is `width` bytes now.
std::optional<Box> side_of(GpuProcess& process, const char* name, const cudaArray* array, const cudaPitchedPtr& pitched,
                           const cudaPos& at, size_t width, const cudaExtent& extent) {
  if (array == nullptr) {
    const size_t slice = pitched.pitch * pitched.ysize;
    return Box{static_cast<char*>(pitched.ptr) + at.z * slice + at.y * pitched.pitch + at.x, pitched.pitch, slice};
  }
  const cudaArray* const known = array_of(process, name, array);
  if (known == nullptr) return std::nullopt;
  // A layered array of lines has its layers in z, and rows of which there is one.
  return box_of(process, name, known, at.x * known->image.texel_bytes(), at, width, extent.height, extent.depth);
}

// Does `body`, which no graph can keep.
template <class Body>
cudaError_t uncaptured(const char* name, cudaStream_t stream, Body body) {
  return ordered(
      name, stream, [&](GpuProcess&) { return body(); },
      [](GpuProcess&) -> tl::expected<Work, cudaError_t> { return tl::unexpected(cudaErrorStreamCaptureUnsupported); });
}

}  // namespace

cudaError_t copy_box(const char* name, const cudaMemcpy3DParms& given) {
  return call(name, [&](GpuProcess& process) {
    const auto has_one = [](const cudaArray* array, const cudaPitchedPtr& pitched) {
      return (array != nullptr) != (pitched.ptr != nullptr);
    };
    if (!has_one(given.srcArray, given.srcPtr) || !has_one(given.dstArray, given.dstPtr)) return cudaErrorInvalidValue;
    size_t element = 1;  // the extent counts elements of an array where there is one
    for (const cudaArray* const each : {given.srcArray, given.dstArray}) {
      if (each == nullptr) continue;
      const cudaArray* const array = array_of(process, name, each);
      if (array == nullptr || (element != 1 && element != array->image.texel_bytes())) return cudaErrorInvalidValue;
      element = array->image.texel_bytes();
    }
    const cudaExtent& extent = given.extent;
    const size_t width = extent.width * element;
    if (width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
    const auto to = side_of(process, name, given.dstArray, given.dstPtr, given.dstPos, width, extent);
    const auto from = side_of(process, name, given.srcArray, given.srcPtr, given.srcPos, width, extent);
    if (!to || !from) return cudaErrorInvalidValue;
    return copy_box(process, name, *to, *from, width, extent.height, extent.depth, given.kind);
  });
}

ASSAY_EXPORTED cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* given) {
  if (given == nullptr) return cudaErrorInvalidValue;
  return synchronous("cudaMemcpy3D", [&] { return copy_box("cudaMemcpy3D", *given); });
}
ASSAY_PER_THREAD(cudaMemcpy3D, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* given, cudaStream_t stream) {
  if (given == nullptr) return cudaErrorInvalidValue;
  return submit("cudaMemcpy3DAsync", stream, CopyWork{*given});
}
ASSAY_PER_THREAD(cudaMemcpy3DAsync, _ptsz);

ASSAY_EXPORTED cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                               size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_to_array("cudaMemcpy2DToArray", to, x, y, from, pitch, width, height, kind);
}
ASSAY_PER_THREAD(cudaMemcpy2DToArray, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                                    size_t width, size_t height, cudaMemcpyKind kind,
                                                    cudaStream_t stream) {
  return uncaptured("cudaMemcpy2DToArrayAsync", stream, [&] {
    return copy_to_array("cudaMemcpy2DToArrayAsync", to, x, y, from, pitch, width, height, kind);
  });
}
ASSAY_PER_THREAD(cudaMemcpy2DToArrayAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, const cudaArray* from, size_t x, size_t y,
                                                 size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_from_array("cudaMemcpy2DFromArray", to, pitch, from, x, y, width, height, kind);
}
ASSAY_PER_THREAD(cudaMemcpy2DFromArray, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, const cudaArray* from, size_t x, size_t y,
                                                      size_t width, size_t height, cudaMemcpyKind kind,
                                                      cudaStream_t stream) {
  return uncaptured("cudaMemcpy2DFromArrayAsync", stream, [&] {
    return copy_from_array("cudaMemcpy2DFromArrayAsync", to, pitch, from, x, y, width, height, kind);
  });
}
ASSAY_PER_THREAD(cudaMemcpy2DFromArrayAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, const cudaArray* from,
                                                    size_t from_x, size_t from_y, size_t width, size_t height,
                                                    cudaMemcpyKind kind) {
  constexpr const char* kName = "cudaMemcpy2DArrayToArray";
  return call(kName, [&](GpuProcess& process) {
    const auto source = box_of(process, kName, from, from_x, {0, from_y, 0}, width, height, 1);
    const auto target = box_of(process, kName, to, to_x, {0, to_y, 0}, width, height, 1);
    if (!source || !target) return cudaErrorInvalidValue;
    return copy_box(process, kName, *target, *source, width, height, 1, kind);
  });
}
ASSAY_PER_THREAD(cudaMemcpy2DArrayToArray, _ptds);

ASSAY_EXPORTED cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                             cudaMemcpyKind kind) {
  return copy_run_to_array("cudaMemcpyToArray", to, x, y, from, bytes, kind);
}
ASSAY_PER_THREAD(cudaMemcpyToArray, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                                  cudaMemcpyKind kind, cudaStream_t stream) {
  return uncaptured("cudaMemcpyToArrayAsync", stream,
                    [&] { return copy_run_to_array("cudaMemcpyToArrayAsync", to, x, y, from, bytes, kind); });
}
ASSAY_PER_THREAD(cudaMemcpyToArrayAsync, _ptsz);
ASSAY_EXPORTED cudaError_t cudaMemcpyFromArray(void* to, const cudaArray* from, size_t x, size_t y, size_t bytes,
                                               cudaMemcpyKind kind) {
  return copy_run_from_array("cudaMemcpyFromArray", to, from, x, y, bytes, kind);
}
ASSAY_PER_THREAD(cudaMemcpyFromArray, _ptds);
ASSAY_EXPORTED cudaError_t cudaMemcpyFromArrayAsync(void* to, const cudaArray* from, size_t x, size_t y, size_t bytes,
                                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return uncaptured("cudaMemcpyFromArrayAsync", stream,
                    [&] { return copy_run_from_array("cudaMemcpyFromArrayAsync", to, from, x, y, bytes, kind); });
}
ASSAY_PER_THREAD(cudaMemcpyFromArrayAsync, _ptsz);

}  // namespace assay::program

// suld.b and sust.b, which read and write the bytes of an image as they are, txq and suq, and what is said of handles
// and geometries that do not fit.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/ring.h"
#include "harness/simt/runtime/texture_names.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

const char* name_of(Geometry geometry) {
  static constexpr const char* kNames[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
  return kNames[static_cast<size_t>(geometry)];
}

std::string kind_of_image(const Image& image) {
  static constexpr const char* kNames[] = {"linear memory", "1D", "2D", "3D", "a cubemap"};
  return fmt::format("{}{}", kNames[static_cast<size_t>(image.kind)], image.is_layered ? ", layered" : "");
}

bool fits_geometry(Geometry geometry, const Image& image) {
  const ImageKind kind = image.kind;
  switch (geometry) {
    case Geometry::line:
      return (kind == ImageKind::line || kind == ImageKind::row_of_memory) && !image.is_layered;
    case Geometry::plane:
      return kind == ImageKind::plane && !image.is_layered;
    case Geometry::volume:
      return kind == ImageKind::volume;
    case Geometry::lines:
      return kind == ImageKind::line && image.is_layered;
    case Geometry::planes:  // the faces of a cube are layers to a surface
      return (kind == ImageKind::plane && image.is_layered) || kind == ImageKind::cube;
    case Geometry::cube:
      return kind == ImageKind::cube && !image.is_layered;
    case Geometry::cubes:
      return kind == ImageKind::cube && image.is_layered;
  }
  return false;
}

struct SurfaceAccess {
  const char* opcode;
  Geometry geometry;
  Outside outside;
  uint32_t bytes, layer;
  int32_t x, y, z;
};

// The bytes that an access means; nullptr: it lies outside, and is to do nothing.
std::byte* bytes_of_surface(const void* pc, const SurfaceAccess& access, uint64_t handle) {
  const Image* const image = surface_of(handle);
  if (image == nullptr) stop_for_handle(pc, access.opcode, handle);
  check_geometry(pc, access.opcode, access.geometry, *image);
  const int64_t row = int64_t{image->width} * static_cast<int64_t>(image->texel_bytes());
  const bool has_y = access.geometry != Geometry::line && access.geometry != Geometry::lines;
  const bool has_slices = access.geometry != Geometry::line && access.geometry != Geometry::plane;
  const int64_t last_x = row - access.bytes, last_y = int64_t{image->height} - 1, last_z = int64_t{image->slices} - 1;
  int64_t x = access.x, y = has_y ? access.y : 0, z = 0;
  if (has_slices) z = access.geometry == Geometry::volume ? int64_t{access.z} : int64_t{access.layer};
  if (access.x % static_cast<int32_t>(access.bytes) != 0)
    stop_launch(Kind::crash, fmt::format("{} ({}) of {} bytes from byte {} of a row: x counts bytes, and must be a "
                                         "multiple of the bytes accessed",
                                         access.opcode, checked::source_line(pc), access.bytes, access.x));
  if (x < 0 || x > last_x || y < 0 || y > last_y || z < 0 || z > last_z) {
    if (access.outside == Outside::trap)
      stop_launch(Kind::out_of_bounds,
                  fmt::format("{}.{}.trap ({}) of {} bytes at x {} (in bytes), y {}, z or layer {} of a surface of {} "
                              "bytes by {} by {}; a GPU stops the kernel here",
                              access.opcode, name_of(access.geometry), checked::source_line(pc), access.bytes, x, y, z,
                              row, image->height, image->slices));
    if (access.outside == Outside::zero || last_x < 0) return nullptr;
    x = std::clamp<int64_t>(x, 0, last_x), y = std::clamp<int64_t>(y, 0, last_y), z = std::clamp<int64_t>(z, 0, last_z);
  }
  return image->memory + static_cast<size_t>(z) * image->slice_bytes + static_cast<size_t>(y) * image->row_bytes +
         static_cast<size_t>(x);
}

bool may_access(const void* pc, const Fiber* me, const std::byte* at, size_t bytes, checked::Access access) {
  checked::Monitor* const checker = this_worker_if_any()->launch->checker;
  return checker == nullptr || checker->check({.address = reinterpret_cast<uintptr_t>(at),
                                               .bytes = bytes,
                                               .access = access,
                                               .pc = pc,
                                               .me = linear_index(me->thread_idx, block.block_dim)});
}

}  // namespace

void stop_for_handle(const void* pc, const char* opcode, uint64_t handle) {
  stop_launch(Kind::crash, fmt::format("{} ({}) of the {} object {:#x}, {}", opcode, checked::source_line(pc),
                                       opcode[0] == 's' ? "surface" : "texture", handle, why_no_texture(handle)));
}

void check_geometry(const void* pc, const char* opcode, Geometry geometry, const Image& image) {
  if (fits_geometry(geometry, image)) return;
  stop_launch(Kind::crash, fmt::format("{}.{} ({}) of an image that is {}", opcode, name_of(geometry),
                                       checked::source_line(pc), kind_of_image(image)));
}

Texel load_surface(const Fiber* me, uint64_t handle, Geometry geometry, Outside outside, uint32_t bytes, uint32_t layer,
                   int32_t x, int32_t y, int32_t z) {
  const void* const pc = __builtin_return_address(0);
  const std::byte* const at = bytes_of_surface(pc, {"suld.b", geometry, outside, bytes, layer, x, y, z}, handle);
  Texel value = 0;
  if (at != nullptr && may_access(pc, me, at, bytes, checked::Access::read)) std::memcpy(&value, at, bytes);
  return value;
}

void store_surface(const Fiber* me, uint64_t handle, Geometry geometry, Outside outside, uint32_t bytes, uint32_t layer,
                   int32_t x, int32_t y, int32_t z, Texel value) {
  const void* const pc = __builtin_return_address(0);
  std::byte* const at = bytes_of_surface(pc, {"sust.b", geometry, outside, bytes, layer, x, y, z}, handle);
  if (at != nullptr && may_access(pc, me, at, bytes, checked::Access::write)) std::memcpy(at, &value, bytes);
}

uint32_t query_image(const Fiber*, uint64_t handle, ImageQuery query) {
  const Texture* const texture = texture_of(handle);
  const Image* const image = texture != nullptr ? &texture->image : surface_of(handle);
  if (image == nullptr) stop_for_handle(__builtin_return_address(0), "txq", handle);
  const uint32_t faces = image->kind == ImageKind::cube ? 6 : 1;
  switch (query) {
    case ImageQuery::width:
      return image->width;
    case ImageQuery::height:
      return image->height;
    case ImageQuery::depth:
      return image->kind == ImageKind::volume ? image->slices : 1;
    case ImageQuery::array_size:
      return image->is_layered ? image->slices / faces : 1;
    case ImageQuery::normalized_coords:
      return texture != nullptr && texture->has_normalised_coordinates ? 1 : 0;
    case ImageQuery::mipmap_levels:
    case ImageQuery::samples:
      break;
  }
  return 1;
}

}  // namespace assay::simt

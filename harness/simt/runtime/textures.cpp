// tex and tld4: from a handle and coordinates to a texel.
//
// In a checked launch each texel that has a weight is read as the kernel reads memory: of bytes that nobody has
// written, or that a thread writes in the same launch without order, there is a finding.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/quick_reads.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/ring.h"
#include "harness/simt/runtime/texture_names.h"
#include "harness/simt/runtime/texture_sampling.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

using Value = std::array<uint32_t, 4>;

// A fetch by one thread.
class Fetch {
 public:
  Fetch(const void* pc, const Fiber* me, const Texture& texture)
      : pc_(pc), me_(me), texture_(texture), checker_(this_worker_if_any()->launch->checker) {}

  // The texel at a place; a coordinate of kBorderTexel: the border's.
  Value texel(int32_t x, int32_t y, int64_t slice) const {
    if (x == kBorderTexel || y == kBorderTexel || slice == kBorderTexel) return border();
    const Image& image = texture_.image;
    const std::byte* const at = image.memory + static_cast<size_t>(slice) * image.slice_bytes +
                                static_cast<size_t>(y) * image.row_bytes + static_cast<size_t>(x) * image.texel_bytes();
    if (checker_ == nullptr || may_read(at)) return texel_value(texture_, at);
    static constexpr std::array<std::byte, 16> kNothing{};
    return texel_value(texture_, kNothing.data());
  }

  Value filtered(const Taps& x, const Taps& y, const Taps& z, int64_t slice, bool is_volume) const {
    std::array<double, 4> sum{};
    for (unsigned corner = 0; corner < 8; ++corner) {
      const auto weight = [&](const Taps& taps, unsigned bit) {
        return (corner >> bit & 1) != 0 ? taps.weight : 256 - taps.weight;
      };
      const uint32_t all = weight(x, 0) * weight(y, 1) * weight(z, 2);
      if (all == 0) continue;
      const auto tap = [&](const Taps& taps, unsigned bit) {
        return (corner >> bit & 1) != 0 ? taps.second : taps.first;
      };
      const Value value = texel(tap(x, 0), tap(y, 1), is_volume ? tap(z, 2) : slice);
      if (all == 1u << 24) return value;
      for (size_t i = 0; i < 4; ++i) sum[i] += double{std::bit_cast<float>(value[i])} * all * 0x1p-24;
    }
    Value result;
    for (size_t i = 0; i < 4; ++i) result[i] = std::bit_cast<uint32_t>(static_cast<float>(sum[i]));
    return result;
  }

  // An element that the texture, a row of memory, does not have.
  void report_outside(int32_t x) const {
    if (checker_ == nullptr) return;
    const Image& image = texture_.image;
    checked::Now now = read_of(image.memory + static_cast<int64_t>(image.texel_bytes()) * x);
    now.space = checked::Space::device;
    checker_->report(
        Kind::out_of_bounds, now,
        fmt::format("but the texture has {} elements; a GPU gives 0 here, which is documented for arrays only",
                    image.width));
  }

  Value border() const {
    Value bits;
    for (size_t i = 0; i < 4; ++i) bits[i] = std::bit_cast<uint32_t>(texture_.border[i]);
    return bits;
  }

 private:
  checked::Now read_of(const std::byte* at) const {
    return {.address = reinterpret_cast<uintptr_t>(at),
            .bytes = texture_.image.texel_bytes(),
            .access = checked::Access::read,
            .pc = pc_,
            .me = linear_index(me_->thread_idx, block.block_dim)};
  }
  bool may_read(const std::byte* at) const {
    const checked::Now now = read_of(at);
    // A footprint has texels of parts of words, too, of which the quick way leaves no record.
    const bool may_be_quick = now.bytes >= 4 || !checker_->footprint.is_on();
    return (may_be_quick && checked::read_texel(checked::hook_state, now.address, now.bytes, now.me, pc_)) ||
           checker_->check(now);
  }

  const void* pc_;
  const Fiber* me_;
  const Texture& texture_;
  checked::Monitor* checker_;
};

Texel packed(const Value& value) {
  Texel all = 0;
  for (size_t i = 0; i < 4; ++i) all |= Texel{value[i]} << 32 * i;
  return all;
}

const Texture& texture_for(const void* pc, const char* opcode, uint64_t handle, Geometry geometry) {
  const Texture* const texture = texture_of(handle);
  if (texture == nullptr) stop_for_handle(pc, opcode, handle);
  check_geometry(pc, opcode, geometry, texture->image);
  return *texture;
}

bool is_one_of(Geometry geometry, std::initializer_list<Geometry> all) {
  return std::ranges::find(all, geometry) != all.end();
}

// The nearest layer that there is.
uint32_t nearest_layer(const Image& image, uint32_t layer, uint32_t slices_each) {
  return std::min(layer, image.slices / slices_each - 1);
}

}  // namespace

Texel fetch_texture(const Fiber* me, uint64_t handle, Geometry geometry, uint32_t layer, float x, float y, float z) {
  const void* const pc = __builtin_return_address(0);
  const Texture& texture = texture_for(pc, "tex", handle, geometry);
  const Image& image = texture.image;
  if (image.kind == ImageKind::row_of_memory)
    stop_launch(Kind::crash, fmt::format("tex ({}) with a coordinate in floats from a texture of linear memory, which "
                                         "has whole ones: tex1Dfetch",
                                         checked::source_line(pc)));
  const Fetch fetch(pc, me, texture);
  int64_t slice = 0;
  bool is_normalised = texture.has_normalised_coordinates;
  if (is_one_of(geometry, {Geometry::lines, Geometry::planes})) slice = nearest_layer(image, layer, 1);
  if (is_one_of(geometry, {Geometry::cube, Geometry::cubes})) {
    const CubePlace place = cube_place(x, y, z);
    slice = geometry == Geometry::cube ? place.face : nearest_layer(image, layer, 6) * 6 + place.face;
    x = place.x, y = place.y;
    is_normalised = true;
  }
  const bool has_y = !is_one_of(geometry, {Geometry::line, Geometry::lines}), is_volume = geometry == Geometry::volume;
  const auto taps = [&](float coordinate, uint32_t extent, size_t axis) {
    return taps_of(coordinate, extent, texture.modes.at(axis), texture.is_linear, is_normalised);
  };
  return packed(fetch.filtered(taps(x, image.width, 0), has_y ? taps(y, image.height, 1) : Taps{},
                               is_volume ? taps(z, image.slices, 2) : Taps{}, slice, is_volume));
}

Texel fetch_texel(const Fiber* me, uint64_t handle, Geometry geometry, uint32_t layer, int32_t x, int32_t y,
                  int32_t z) {
  const void* const pc = __builtin_return_address(0);
  const Texture& texture = texture_for(pc, "tex", handle, geometry);
  const Image& image = texture.image;
  const Fetch fetch(pc, me, texture);
  if (image.kind == ImageKind::row_of_memory) {
    if (x >= 0 && static_cast<uint32_t>(x) < image.width) return packed(fetch.texel(x, 0, 0));
    fetch.report_outside(x);
    return 0;
  }
  const auto mode = [&](size_t axis) {
    return texture.modes.at(axis) == AddressMode::border ? AddressMode::border : AddressMode::clamp;
  };
  const bool has_y = !is_one_of(geometry, {Geometry::line, Geometry::lines});
  const int64_t slice = geometry == Geometry::volume ? addressed(z, image.slices, mode(2))
                        : geometry == Geometry::line || geometry == Geometry::plane ? 0
                                                                                    : nearest_layer(image, layer, 1);
  return packed(
      fetch.texel(addressed(x, image.width, mode(0)), has_y ? addressed(y, image.height, mode(1)) : 0, slice));
}

Texel gather_texels(const Fiber* me, uint64_t handle, uint32_t channel, float x, float y) {
  const void* const pc = __builtin_return_address(0);
  const Texture& texture = texture_for(pc, "tld4", handle, Geometry::plane);
  const Fetch fetch(pc, me, texture);
  const auto taps = [&](float coordinate, uint32_t extent, size_t axis) {
    return taps_of(coordinate, extent, texture.modes.at(axis), true, texture.has_normalised_coordinates);
  };
  const Taps across = taps(x, texture.image.width, 0), down = taps(y, texture.image.height, 1);
  const auto one = [&](int32_t at_x, int32_t at_y) { return fetch.texel(at_x, at_y, 0).at(channel & 3); };
  return packed({one(across.first, down.second), one(across.second, down.second), one(across.second, down.first),
                 one(across.first, down.first)});
}

}  // namespace assay::simt

// Textures and surfaces for host code: images in device memory, and handles by which kernels find them.
//
// Whoever owns the memory registers what it means here and gives the handle to kernels, as a number of 64 bits. Handles
// are not used a second time, so one that is kept too long is found (texture_calls.h). Calls are not locked: no launch
// may run meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace assay::simt {

enum class Channels : uint8_t { signed_integers, unsigned_integers, floats };

// An image that is one row of device memory has whole coordinates, no filter and no address modes.
enum class ImageKind : uint8_t { row_of_memory, line, plane, volume, cube };

// Texels in memory: rows one after another in a slice, slices one after another. A layer, or a face of a cube, is a
// slice.
struct Image {
  std::byte* memory = nullptr;
  ImageKind kind = ImageKind::plane;
  bool is_layered = false;
  uint32_t width = 1, height = 1;  // in texels; a line has a height of 1
  uint32_t slices = 1;             // the depth of a volume, or layers, or six faces for each cube
  size_t row_bytes = 0, slice_bytes = 0;
  Channels channels = Channels::floats;
  uint8_t channel_bits = 32;  // 8, 16 or 32; floats have 16 or 32
  uint8_t channel_count = 1;  // 1, 2 or 4

  size_t texel_bytes() const { return size_t{channel_bits} / 8 * channel_count; }
};

enum class AddressMode : uint8_t { wrap, clamp, mirror, border };

struct Texture {
  Image image;
  std::array<AddressMode, 3> modes = {AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool is_linear = false;  // filters; false: takes the nearest texel
  bool has_normalised_coordinates = false;
  bool reads_normalised = false;     // integers of 8 or 16 bits as floats in [0, 1], or [-1, 1]
  std::array<float, 4> border = {};  // where integers are read, their bits
};

#pragma GCC visibility push(default)
uint64_t add_texture(const Texture& texture);
uint64_t add_surface(const Image& image);
// False: the handle is none of a living texture, or surface.
bool remove_texture(uint64_t handle);
bool remove_surface(uint64_t handle);
// The texture or surface of a handle; nullptr: there is none, or no longer.
const Texture* texture_of(uint64_t handle);
const Image* surface_of(uint64_t handle);
#pragma GCC visibility pop

}  // namespace assay::simt

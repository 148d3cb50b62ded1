// The arithmetic of a fetch from a texture: which texels it takes, with which weights, and what they are worth.
//
// From the CUDA Programming Guide, "Texture Fetching": a linear filter weighs the texels around x - 0.5 by its
// fraction, which has 8 bits. How a GPU rounds to these 8 bits is not documented; here it is to the nearest.
// Coordinates and sums are exact until a last rounding to f32.
#pragma once

#include <array>
#include <cstdint>

#include "harness/simt/include/simt/texture_calls.h"
#include "harness/simt/include/simt/textures.h"

#pragma GCC visibility push(default)  // for tests
namespace assay::simt {

inline constexpr int32_t kBorderTexel = -1;

// The texels of a fetch along one axis: `first` with 256 - weight 256ths, and `second` with the rest. kBorderTexel: the
// border's colour stands there.
struct Taps {
  int32_t first = 0, second = 0;
  uint32_t weight = 0;
};

// The texel that an index means which may lie outside of 0 to extent - 1.
int32_t addressed(int64_t index, uint32_t extent, AddressMode mode);
Taps taps_of(float coordinate, uint32_t extent, AddressMode mode, bool is_linear, bool is_normalised);

// The face of a cube in a direction, and the normalised place on it.
struct CubePlace {
  uint32_t face = 0;
  float x = 0, y = 0;
};
CubePlace cube_place(float x, float y, float z);

// The four channels of a texel in memory as the texture gives them: bits of floats, or integers of 32 bits. Channels
// that the image does not have are 0, and the fourth is 1.
std::array<uint32_t, 4> texel_value(const Texture& texture, const std::byte* texel);
// Whether these are bits of floats.
bool gives_floats(const Texture& texture);

}  // namespace assay::simt
#pragma GCC visibility pop

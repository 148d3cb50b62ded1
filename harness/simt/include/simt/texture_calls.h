// The functions by which kernels fetch from textures and access surfaces, and what says how.
//
// Four channels of a texel travel as one number, which stays in registers: in memory a checked module would have hooks
// called for it. `me`: the calling thread. A handle that names nothing ends the launch with a finding.
#pragma once

#include <cstdint>

namespace assay::simt {

struct Fiber;

// Channel i is in the bits from 32 i on; what a surface holds is in the lowest bits, as it lies in memory.
using Texel = unsigned __int128;

// The coordinates of an instruction, as PTX names them: .1d .2d .3d .a1d .a2d .cube .acube.
enum class Geometry : uint8_t { line, plane, volume, lines, planes, cube, cubes };

// The treatment of a surface access outside of the surface: .trap .clamp .zero.
enum class Outside : uint8_t { trap, clamp, zero };

// The attributes that txq and suq ask for.
enum class ImageQuery : uint8_t { width, height, depth, array_size, normalized_coords, mipmap_levels, samples };

#pragma GCC visibility push(default)
// tex with coordinates in floats: filters, and looks at the address modes.
Texel fetch_texture(const Fiber* me, uint64_t texture, Geometry geometry, uint32_t layer, float x, float y, float z);
// tex with whole coordinates, which count texels.
Texel fetch_texel(const Fiber* me, uint64_t texture, Geometry geometry, uint32_t layer, int32_t x, int32_t y,
                  int32_t z);
// tld4.2d: one channel of the four texels that a linear filter would take.
Texel gather_texels(const Fiber* me, uint64_t texture, uint32_t channel, float x, float y);
// suld.b and sust.b of up to 16 bytes; x counts bytes.
Texel load_surface(const Fiber* me, uint64_t surface, Geometry geometry, Outside outside, uint32_t bytes,
                   uint32_t layer, int32_t x, int32_t y, int32_t z);
void store_surface(const Fiber* me, uint64_t surface, Geometry geometry, Outside outside, uint32_t bytes,
                   uint32_t layer, int32_t x, int32_t y, int32_t z, Texel value);
// txq and suq.
uint32_t query_image(const Fiber* me, uint64_t texture_or_surface, ImageQuery query);
#pragma GCC visibility pop

}  // namespace assay::simt

// The GPU that programs see: an H100's limits, and few multiprocessors, so that grids that fill it stay small.
#pragma once

#include <cstddef>

namespace assay::program {

inline constexpr int kMultiprocessors = 4, kThreadsOfMultiprocessor = 2048, kBlocksOfMultiprocessor = 32;
// Textures, by the Programming Guide's table of compute capability 9.0.
inline constexpr size_t kTextureAlignment = 512, kTexturePitchAlignment = 32;
inline constexpr int kTextureWidthMax = 131072, kTextureHeightMax = 65536, kVolumeMax = 16384, kLayeredMax = 32768,
                     kLayersMax = 2048, kCubeLayersMax = 2046, kPitchedTextureHeightMax = 65000, kPitchMax = 2097120,
                     kLinearTextureMax = 1 << 28;

inline constexpr size_t kSharedBytesOfMultiprocessor = 228 * 1024, kReservedSharedBytes = 1024;

}  // namespace assay::program

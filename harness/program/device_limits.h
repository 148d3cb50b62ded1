// The GPU that programs see: by default an H100's limits with few multiprocessors, so that grids that fill it stay
// small; or a GPU that `assay run --as` names.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace assay::program {

struct DeviceLimits {
  std::string_view word;  // of --as
  const char* name;       // as cudaGetDeviceProperties() tells it
  int major, minor;       // compute capability
  int multiprocessors, threads_of_multiprocessor, blocks_of_multiprocessor;
  size_t shared_of_multiprocessor, shared_of_block;  // bytes, the second as a kernel may opt in to
  int l2_bytes;
};

// Compute capabilities by the Programming Guide's table of technical specifications, the rest by NVIDIA's papers on the
// architectures.
inline constexpr std::array<DeviceLimits, 5> kDevices{{
    {"", "Assay SIMT executor", 9, 0, 4, 2048, 32, 228 * 1024, 227 * 1024, 1 << 22},
    {"h100", "H100 SXM (Assay SIMT executor)", 9, 0, 132, 2048, 32, 228 * 1024, 227 * 1024, 50 << 20},
    {"a100", "A100 SXM (Assay SIMT executor)", 8, 0, 108, 2048, 32, 164 * 1024, 163 * 1024, 40 << 20},
    {"l40s", "L40S (Assay SIMT executor)", 8, 9, 142, 1536, 24, 100 * 1024, 99 * 1024, 96 << 20},
    {"rtx4090", "GeForce RTX 4090 (Assay SIMT executor)", 8, 9, 128, 1536, 24, 100 * 1024, 99 * 1024, 72 << 20},
}};

// Textures, by the Programming Guide's table of compute capability 9.0.
inline constexpr size_t kTextureAlignment = 512, kTexturePitchAlignment = 32;
inline constexpr int kTextureWidthMax = 131072, kTextureHeightMax = 65536, kVolumeMax = 16384, kLayeredMax = 32768,
                     kLayersMax = 2048, kCubeLayersMax = 2046, kPitchedTextureHeightMax = 65000, kPitchMax = 2097120,
                     kLinearTextureMax = 1 << 28;

inline constexpr size_t kReservedSharedBytes = 1024;  // of each block

}  // namespace assay::program

// Limits of a launch: those of CUDA's compute capability 9.0, with the opt-in size of dynamic shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::simt {

inline constexpr uint32_t kThreadsMax = 1024;
inline constexpr uint32_t kBlockZMax = 64;
inline constexpr uint32_t kGridXMax = 0x7fff'ffff;
inline constexpr uint32_t kGridYzMax = 65535;
inline constexpr size_t kSharedBytesMax = 227 * 1024;       // static and dynamic together
inline constexpr size_t kStaticSharedBytesMax = 48 * 1024;  // of what a kernel declares
inline constexpr size_t kDynamicSharedAlignment = 1024;

}  // namespace assay::simt

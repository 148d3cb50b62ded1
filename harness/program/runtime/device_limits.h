// The GPU that programs see: an H100's limits, and few multiprocessors, so that grids that fill it stay small.
#pragma once

#include <cstddef>

namespace assay::program {

inline constexpr int kMultiprocessors = 4, kThreadsOfMultiprocessor = 2048, kBlocksOfMultiprocessor = 32;
inline constexpr size_t kSharedBytesOfMultiprocessor = 228 * 1024, kReservedSharedBytes = 1024;

}  // namespace assay::program

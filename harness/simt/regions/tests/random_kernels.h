// Random kernels as functions of the host, for outcomes_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::simt::regions {

struct RandomKernel {
  const void* address;
  // Launches it on `grid` blocks of `x` by `y` by `z` threads. `data` has a number for each thread, which it changes;
  // `bounds` has kBounds small numbers that it takes trips of loops and choices from.
  void (*launch)(uint32_t grid, uint32_t x, uint32_t y, uint32_t z, uint32_t* data, const uint32_t* bounds);
};
inline constexpr uint32_t kBounds = 8;
inline constexpr uint32_t kRaceFree = 60;  // so many at the beginning of the list are free of races

std::vector<RandomKernel> random_kernels();

// By a split kernel: when each of so many blocks ran.
std::vector<uint32_t> turns_of_blocks(uint32_t count);

}  // namespace assay::simt::regions

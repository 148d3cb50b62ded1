// EXPECT: PASS: memcpy, memset, memmove, std::copy and structures fill shared memory and move it on.
#include <algorithm>
#include <cstring>

#include "harness/simt/tests/kernel_test.h"

struct Row {
  float values[8];
};

__global__ void copies_of_all_sorts_kernel(float* y, const float* x, int n) {
  __shared__ float tile[32 * 8];
  __shared__ Row rows[32];
  const int at = 8 * threadIdx.x;
  std::memset(tile + at, 0, 12);
  memcpy(tile + at + 3, x + at + 3, n * sizeof(float));
  rows[threadIdx.x] = *reinterpret_cast<const Row*>(x + at);
  __syncthreads();
  const int other = 8 * (threadIdx.x ^ 1);
  memmove(tile + other, tile + other + 3, n * sizeof(float));
  __syncthreads();
  unsigned bits;
  memcpy(&bits, tile + at, sizeof bits);
  Row row = rows[threadIdx.x ^ 1];
  memcpy(row.values, &bits, sizeof bits);
  std::copy(row.values, row.values + 8, y + at);
}

ASSAY_KERNEL_TEST(copies_of_all_sorts) {
  const float* const x = input<float>("x", 256);
  float* const y = output<float>("y", 256);
  launch_kernel(copies_of_all_sorts_kernel, {1, 32}, y, x, 5);
  for (int i = 0; i < 256; ++i)
    if (y[i] != (i % 8 == 0 ? x[i + 3] : x[(i / 8 ^ 1) * 8 + i % 8])) return "a copy is wrong";
  return "";
}

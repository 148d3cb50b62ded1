// EXPECT: PASS: lanes exchange through shared memory with __syncwarp between, in warps of a block whose last is not
// full.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void rotate(int* out, const int* in, int rounds) {
  __shared__ int slot[80];
  const int t = threadIdx.x, first = t / 32 * 32, lanes = min(32, static_cast<int>(blockDim.x) - first);
  const unsigned mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
  int value = in[t];
  for (int round = 0; round < rounds; ++round) {
    slot[t] = value;
    __syncwarp(mask);
    value = slot[first + (t - first + 1) % lanes];
    __syncwarp(mask);
  }
  out[t] = value;
}

ASSAY_KERNEL_TEST(neighbour_exchange) {
  std::vector<int> in(80), out(80);
  for (int i = 0; i < 80; ++i) in[i] = i;
  launch_kernel(rotate, {1, 80}, out.data(), in.data(), 5);
  for (int i = 0; i < 80; ++i) {
    const int first = i / 32 * 32, lanes = first == 64 ? 16 : 32;
    if (out[i] != first + (i - first + 5) % lanes) return "a value did not come round";
  }
  return "";
}

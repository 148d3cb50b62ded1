// EXPECT: PASS: the halves of a warp exchange on their own, then lanes read one word and its owner writes it.
#include "harness/simt/tests/kernel_test.h"

__global__ void syncwarp_by_halves_kernel(int* out, const int* in) {
  __shared__ int slot[64];
  const int t = threadIdx.x, first = t / 16 * 16;
  const unsigned half = t % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
  slot[t] = in[t];
  __syncwarp(half);
  int sum = slot[first + (t + 1) % 16];
  __syncwarp(half);
  if (t % 16 == 3) slot[first] = sum;
  __syncwarp(half);
  sum += slot[first];
  __syncwarp();
  if (t % 32 == 0) slot[t] = -1;
  __shfl_sync(0xffffffffu, sum, 0);
  out[t] = sum + slot[t / 32 * 32];
}

ASSAY_KERNEL_TEST(syncwarp_by_halves) {
  int* const out = output<int>("out", 64);
  const int* const in = input<int>("in", 64);
  launch_kernel(syncwarp_by_halves_kernel, {1, 64}, out, in);
  for (int t = 0; t < 64; ++t) {
    const int first = t / 16 * 16;
    if (out[t] != in[first + (t + 1) % 16] + in[first + 4] - 1) return "a sum is wrong";
  }
  return "";
}

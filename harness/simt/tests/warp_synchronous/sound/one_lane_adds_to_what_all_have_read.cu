// EXPECT: PASS: lanes read a word, meet, and one of them adds to it, which is a read of its own before the write; by
// whole warps, and by eight lanes at a time.
#include "harness/simt/tests/kernel_test.h"

__global__ void one_lane_adds_to_what_all_have_read_kernel(float* out, const float* x) {
  __shared__ float sums[2], parts[8];
  const int t = threadIdx.x, warp = t / 32, part = t / 8;
  if (t % 32 == 0) sums[warp] = x[t];
  if (t % 8 == 0) parts[part] = x[t];
  __syncthreads();
  const float before = sums[warp] + parts[part];
  __syncwarp();
  if (t % 32 == 5) sums[warp] += 1;
  __syncwarp();
  const float between = parts[part];
  __syncwarp(0xffu << t % 32 / 8 * 8);
  if (t % 8 == 3) parts[part] += 2;
  __syncwarp(0xffu << t % 32 / 8 * 8);
  out[t] = before + between + sums[warp] + parts[part];
}

ASSAY_KERNEL_TEST(one_lane_adds_to_what_all_have_read) {
  float* const out = output<float>("out", 64);
  const float* const x = input<float>("x", 64);
  launch_kernel(one_lane_adds_to_what_all_have_read_kernel, {1, 64}, out, x);
  for (int t = 0; t < 64; ++t)
    if (out[t] != 2 * x[t / 32 * 32] + 3 * x[t / 8 * 8] + 3) return "a sum is wrong";
  return "";
}

// EXPECT: PASS: the first lane of each half of a warp fences and counts when it has met its half.
#include "harness/simt/tests/kernel_test.h"

__global__ void last_half_warp_fences_behind_its_syncwarp_kernel(int* total, int* partial, unsigned* done,
                                                                 const int* in) {
  const int t = threadIdx.x;
  partial[blockIdx.x * 32 + t] = in[blockIdx.x * 32 + t];
  __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
  if (t % 16 != 0) return;
  __threadfence();
  const bool last = atomicAdd(done, 1u) == 2 * gridDim.x - 1;
  __threadfence();
  for (unsigned i = 0; last && i < gridDim.x * 32; ++i) *total += partial[i];
}

ASSAY_KERNEL_TEST(last_half_warp_fences_behind_its_syncwarp) {
  int* const total = accumulated<int>("total", 1);
  const int* const in = input<int>("in", 192);
  launch_kernel(last_half_warp_fences_behind_its_syncwarp_kernel, {6, 32}, total, output<int>("partial", 192),
                accumulated<unsigned>("done", 1), in);
  int expected = 0;
  for (int i = 0; i < 192; ++i) expected += in[i];
  return *total == expected ? "" : "the total is wrong";
}

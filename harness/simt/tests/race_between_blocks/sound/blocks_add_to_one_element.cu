// EXPECT: PASS: every block adds to the same element, and a second launch reads it.
#include "harness/simt/tests/kernel_test.h"

__global__ void blocks_add_kernel(float* total, const float* in) {
  if (threadIdx.x == 0) atomicAdd(&total[0], in[blockIdx.x]);
}
__global__ void read_total_kernel(float* out, const float* total) { out[threadIdx.x] = total[0]; }

ASSAY_KERNEL_TEST(blocks_add_to_one_element) {
  float* const total = accumulated<float>("total", 1);
  float* const out = output<float>("out", 32);
  launch_kernel(blocks_add_kernel, {4, 32}, total, input<float>("in", 4));
  launch_kernel(read_total_kernel, {1, 32}, out, static_cast<const float*>(total));
  return out[31] == 0 + 7 + 14 + 21 ? "" : "the total is wrong";
}

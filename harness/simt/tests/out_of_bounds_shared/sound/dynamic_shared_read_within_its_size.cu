// EXPECT: PASS: threads read the row of a neighbour that the launch's shared memory holds.
#include "harness/simt/tests/kernel_test.h"

__global__ void dynamic_shared_read_within_its_size_kernel(float* out, const float* in) {
  extern __shared__ float dynamic_shared_read_within_its_size_memory[];
  const int t = threadIdx.x;
  dynamic_shared_read_within_its_size_memory[t] = in[t];
  if (t < 32) dynamic_shared_read_within_its_size_memory[128 + t] = 0;
  __syncthreads();
  out[t] = dynamic_shared_read_within_its_size_memory[t] + dynamic_shared_read_within_its_size_memory[t + 32];
}

ASSAY_KERNEL_TEST(dynamic_shared_read_within_its_size) {
  float* const out = output<float>("out", 128);
  const float* const in = input<float>("in", 128);
  launch_kernel(dynamic_shared_read_within_its_size_kernel, {1, 128, 160 * sizeof(float)}, out, in);
  return out[0] == in[0] + in[32] && out[127] == in[127] ? "" : "a sum is wrong";
}

// EXPECT: OUT_OF_BOUNDS: threads read the row of a neighbour that the launch's shared memory does not hold.
// SAYS: [128]: read by thread (
#include "harness/simt/tests/kernel_test.h"

__global__ void dynamic_shared_read_past_its_size_kernel(float* out, const float* in) {
  extern __shared__ float dynamic_shared_read_past_its_size_memory[];
  const int t = threadIdx.x;
  dynamic_shared_read_past_its_size_memory[t] = in[t];
  __syncthreads();
  out[t] = dynamic_shared_read_past_its_size_memory[t] + dynamic_shared_read_past_its_size_memory[t + 32];  // HERE
}

ASSAY_KERNEL_TEST(dynamic_shared_read_past_its_size) {
  launch_kernel(dynamic_shared_read_past_its_size_kernel, {1, 128, 128 * sizeof(float)}, output<float>("out", 128),
                input<float>("in", 128));
  return "";
}

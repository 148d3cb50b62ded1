// EXPECT: MISALIGNED: a tile of float4 starts behind three floats in dynamic shared memory.
// CLANG: not seen
// UNCHECKED: crashes
#include "harness/simt/tests/kernel_test.h"

__global__ void shared_vectors_behind_three_floats_kernel(float4* out, const float4* in) {
  extern __shared__ float shared_vectors_behind_three_floats_memory[];
  float4* const tile = reinterpret_cast<float4*>(shared_vectors_behind_three_floats_memory + 3);
  tile[threadIdx.x] = in[threadIdx.x];  // HERE
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

ASSAY_KERNEL_TEST(shared_vectors_behind_three_floats) {
  launch_kernel(shared_vectors_behind_three_floats_kernel, {1, 32, 36 * sizeof(float4)}, output<float4>("out", 32),
                accumulated<float4>("in", 32));
  return "";
}

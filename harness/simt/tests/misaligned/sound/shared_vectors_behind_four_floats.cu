// EXPECT: PASS: a tile of float4 starts at the next multiple of 16 bytes in dynamic shared memory.
#include "harness/simt/tests/kernel_test.h"

__global__ void shared_vectors_behind_four_floats_kernel(float4* out, const float4* in) {
  extern __shared__ float shared_vectors_behind_four_floats_memory[];
  float4* const tile = reinterpret_cast<float4*>(shared_vectors_behind_four_floats_memory + (3 + 3) / 4 * 4);
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

ASSAY_KERNEL_TEST(shared_vectors_behind_four_floats) {
  float4 *const out = output<float4>("out", 32), *const in = accumulated<float4>("in", 32);
  in[30].z = 7;
  launch_kernel(shared_vectors_behind_four_floats_kernel, {1, 32, 36 * sizeof(float4)}, out, in);
  return out[1].z == 7 && out[2].z == 0 ? "" : "a value is wrong";
}

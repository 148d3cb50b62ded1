// EXPECT: RACE: 16-bit neighbours in one word are exchanged without a barrier.
// SAYS: shared tile[
// SAYS: (neighbour_halves.cu:
// SAYS: a __syncthreads()
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void neighbour_halves_kernel(__nv_bfloat16* out, const __nv_bfloat16* in) {
  __shared__ __nv_bfloat16 tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];         // HERE
  out[t] = tile[127 - t];  // HERE
}

ASSAY_KERNEL_TEST(neighbour_halves) {
  launch_kernel(neighbour_halves_kernel, {1, 128}, output<__nv_bfloat16>("out", 128),
                accumulated<__nv_bfloat16>("in", 128));
  return "";
}

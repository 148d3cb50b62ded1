// EXPECT: RACE: tiles of 31 bfloat16 start every 30, so that two blocks write the element between.
// SAYS: out[30]
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void blocks_share_a_half_kernel(__nv_bfloat16* out, const __nv_bfloat16* in) {
  const int i = blockIdx.x * 30 + threadIdx.x;
  out[i] = in[i];  // HERE
}

ASSAY_KERNEL_TEST(blocks_share_a_half) {
  launch_kernel(blocks_share_a_half_kernel, {4, 31}, output<__nv_bfloat16>("out", 121),
                input<__nv_bfloat16>("in", 121));
  return "";
}

// EXPECT: RACE: one thread writes a pair of 16-bit elements, another the second of them alone.
// SAYS: out[
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void pair_against_single_half_kernel(__nv_bfloat16* out) {
  const int t = threadIdx.x;
  if (t % 2 == 0) {
    *reinterpret_cast<__nv_bfloat162*>(out + t) = make_bfloat162(1.0f, 2.0f);  // HERE
  } else {
    out[t] = __float2bfloat16(3.0f);  // HERE
  }
}

ASSAY_KERNEL_TEST(pair_against_single_half) {
  launch_kernel(pair_against_single_half_kernel, {1, 32}, output<__nv_bfloat16>("out", 32));
  return "";
}

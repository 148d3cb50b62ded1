// EXPECT: PASS: two threads write the two 16-bit elements of a word, in shared memory and in an output.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void neighbours_in_one_word_kernel(__nv_bfloat16* out) {
  __shared__ __nv_bfloat16 tile[32];
  const int t = threadIdx.x;
  tile[t] = __float2bfloat16(static_cast<float>(t));
  __syncthreads();
  out[blockIdx.x * 31 + t] = tile[t];
}

ASSAY_KERNEL_TEST(neighbours_in_one_word) {
  __nv_bfloat16* const out = output<__nv_bfloat16>("out", 62);
  launch_kernel(neighbours_in_one_word_kernel, {2, 31}, out);
  return static_cast<float>(out[30]) == 30 && static_cast<float>(out[31]) == 0 ? "" : "a value is wrong";
}

// EXPECT: PASS: tiles of 31 bfloat16 follow each other, so that two blocks write the halves of a word.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void blocks_share_a_word_kernel(__nv_bfloat16* out, const __nv_bfloat16* in) {
  const int i = blockIdx.x * 31 + threadIdx.x;
  out[i] = in[i];
}

ASSAY_KERNEL_TEST(blocks_share_a_word) {
  __nv_bfloat16* const out = output<__nv_bfloat16>("out", 124);
  launch_kernel(blocks_share_a_word_kernel, {4, 31}, out, input<__nv_bfloat16>("in", 124));
  return static_cast<float>(out[123]) == 123 * 7 % 31 && static_cast<float>(out[31]) == 0 ? "" : "a value is wrong";
}

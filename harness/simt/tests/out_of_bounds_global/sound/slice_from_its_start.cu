// EXPECT: PASS: a slice that begins in the middle of a word, and one in the middle of a page, are written to their
// ends.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void slice_from_its_start_kernel(__nv_bfloat16* halves, float* words, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    halves[i] = __float2bfloat16(1.0f);
    words[i] = 2.0f;
  }
  __syncthreads();
  for (int i = threadIdx.x + 1; i < n; i += blockDim.x) words[i - 1] = __bfloat162float(halves[i]);
}

ASSAY_KERNEL_TEST(slice_from_its_start) {
  for (const int n : {1, 2, 3, 1023, 1024, 2047, 5000})
    launch_kernel(slice_from_its_start_kernel, {1, 96}, output_slice<__nv_bfloat16>("halves", 3, n),
                  output_slice<float>("words", 5, n), n);
  return "";
}

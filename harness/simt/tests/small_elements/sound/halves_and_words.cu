// EXPECT: PASS: 16-bit elements written one by one, read in pairs, over an odd count of elements and many blocks.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void halves_and_words_kernel(__nv_bfloat16* out, __nv_bfloat16* copy, const __nv_bfloat16* in, int n) {
  __shared__ __align__(4) __nv_bfloat16 tile[65];
  const int t = threadIdx.x, first = blockIdx.x * 65;
  for (int i = t; i < 65 && first + i < n; i += 32) tile[i] = in[first + i];
  __syncthreads();
  const __nv_bfloat162 pair = reinterpret_cast<const __nv_bfloat162*>(tile)[t % 16];
  __syncthreads();
  if (t < 32) tile[t] = __hadd(pair.x, pair.y);
  __syncthreads();
  for (int i = t; i < 65 && first + i < n; i += 32) out[first + i] = tile[i];
  __syncthreads();
  for (int i = t; i < 65 && first + i < n; i += 32) copy[first + i] = out[first + i];
  __syncthreads();
  if (first + 64 < n) copy[first + 64 - t] = out[first + 64 - t];
}

ASSAY_KERNEL_TEST(halves_and_words) {
  const int n = 5 * 65 + 33;
  launch_kernel(halves_and_words_kernel, {6, 32}, output<__nv_bfloat16>("out", n), output<__nv_bfloat16>("copy", n),
                static_cast<const __nv_bfloat16*>(accumulated<__nv_bfloat16>("in", n)), n);
  return "";
}

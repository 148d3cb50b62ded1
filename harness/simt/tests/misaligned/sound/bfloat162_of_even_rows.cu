// EXPECT: PASS: rows of 18 bfloat16 are read in pairs.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void bfloat162_of_even_rows_kernel(float* out, const __nv_bfloat16* x) {
  const auto pairs = reinterpret_cast<const __nv_bfloat162*>(x + threadIdx.y * 18);
  const __nv_bfloat162 v = pairs[threadIdx.x];
  out[threadIdx.y * 8 + threadIdx.x] = __bfloat162float(v.x) + __bfloat162float(v.y);
}

ASSAY_KERNEL_TEST(bfloat162_of_even_rows) {
  float* const out = output<float>("out", 32);
  launch_kernel(bfloat162_of_even_rows_kernel, {1, dim3(8, 4)}, out, input<__nv_bfloat16>("x", 4 * 18));
  return out[0] == 7 && out[8] == 18 * 7 % 31 + 19 * 7 % 31 ? "" : "a sum is wrong";
}

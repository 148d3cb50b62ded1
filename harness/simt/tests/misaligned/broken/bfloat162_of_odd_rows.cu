// EXPECT: MISALIGNED: rows of 17 bfloat16 are read in pairs.
// CLANG: not seen
// SAYS: x[17]: read by thread (0,1,0)
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void bfloat162_of_odd_rows_kernel(float* out, const __nv_bfloat16* x) {
  const auto pairs = reinterpret_cast<const __nv_bfloat162*>(x + threadIdx.y * 17);
  const __nv_bfloat162 v = pairs[threadIdx.x];  // HERE
  out[threadIdx.y * 8 + threadIdx.x] = __bfloat162float(v.x) + __bfloat162float(v.y);
}

ASSAY_KERNEL_TEST(bfloat162_of_odd_rows) {
  launch_kernel(bfloat162_of_odd_rows_kernel, {1, dim3(8, 4)}, output<float>("out", 32),
                input<__nv_bfloat16>("x", 4 * 17));
  return "";
}

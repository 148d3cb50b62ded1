// EXPECT: PASS: lanes store pairs of 16-bit floats that differ by the sign of one zero, beside tensors of such floats.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_pairs_of_zeros_kernel(__nv_bfloat162* y) {
  __shared__ __nv_bfloat162 pair;
  pair = __floats2bfloat162_rn(__uint_as_float(threadIdx.x % 2 << 31), 3);
  __syncthreads();
  y[threadIdx.x] = pair;
}

ASSAY_KERNEL_TEST(lanes_store_pairs_of_zeros) {
  __nv_bfloat16* const y = output<__nv_bfloat16>("y", 64);
  launch_kernel(lanes_store_pairs_of_zeros_kernel, {1, 32}, reinterpret_cast<__nv_bfloat162*>(y));
  return float(y[0]) == 0 && float(y[1]) == 3 ? "" : "a pair is wrong";
}

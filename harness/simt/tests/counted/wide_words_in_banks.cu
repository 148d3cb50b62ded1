// TOTAL: bank_conflict_max=4
// Accesses of 8 bytes are served by halves of a warp, of 16 by quarters: in a row they have no conflict.
#include "harness/simt/tests/kernel_test.h"

__global__ void wide_words_in_banks_kernel(double* out) {
  __shared__ double pairs[64];
  __shared__ float4 quads[32];
  const unsigned i = threadIdx.x;
  pairs[i] = i;                        // LINE: bank_conflict_degree=1
  pairs[i + 32] = i;                   // LINE: bank_conflict_degree=1
  quads[i] = make_float4(0, 0, 0, i);  // LINE: bank_conflict_degree=1
  __syncthreads();
  const double every_second = pairs[2 * i];    // LINE: bank_conflict_degree=2
  const float every_fourth = quads[31 - i].w;  // LINE: bank_conflict_degree=4
  out[i] = every_second + every_fourth;
}

ASSAY_KERNEL_TEST(wide_words_in_banks) {
  launch_kernel(wide_words_in_banks_kernel, {1, 32}, output<double>("out", 32));
  return "";
}

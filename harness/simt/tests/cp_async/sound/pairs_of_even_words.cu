// EXPECT: PASS: copies of 8 bytes begin at every second word.
// RUNS IN: fast and checked
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void pairs_of_even_words_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ __align__(8) float tile[128];
  const int t = threadIdx.x;
  cp_async<8>(&tile[2 * t], &in[t / 2 * 2]);
  cp_async_wait_all();
  out[t] = tile[2 * t];
}

ASSAY_KERNEL_TEST(pairs_of_even_words) {
  launch_kernel(pairs_of_even_words_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}

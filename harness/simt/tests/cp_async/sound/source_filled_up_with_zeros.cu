// EXPECT: PASS: behind the end of a row copies read nothing and leave zeros.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void source_filled_up_with_zeros_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ __align__(16) float tile[256];
  const int t = threadIdx.x;
  cp_async<16>(&tile[4 * t], &in[t < 16 ? 4 * t : 64], t < 16 ? 16 : 0);
  cp_async_wait_all();
  out[t] = tile[4 * t];
}

ASSAY_KERNEL_TEST(source_filled_up_with_zeros) {
  launch_kernel(source_filled_up_with_zeros_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}

// EXPECT: OUT_OF_BOUNDS: the last copy of 16 bytes goes past the end of a row.
// SAYS: in[64]
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void source_past_the_end_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ __align__(16) float tile[256];
  const int t = threadIdx.x;
  cp_async<16>(&tile[4 * t], &in[t < 16 ? 4 * t : 64]);  // HERE
  cp_async_wait_all();
  out[t] = tile[4 * t];
}

ASSAY_KERNEL_TEST(source_past_the_end) {
  launch_kernel(source_past_the_end_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}

// EXPECT: OUT_OF_BOUNDS: threads without an element write past the end, into the rest of the last page.
// SAYS: out[100]: write by thread (100,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void writes_past_the_end_kernel(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }  // HERE

ASSAY_KERNEL_TEST(writes_past_the_end) {
  launch_kernel(writes_past_the_end_kernel, {1, 128}, output<float>("out", 100), input<float>("in", 128));
  return "";
}

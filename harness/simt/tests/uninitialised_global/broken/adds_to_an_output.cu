// EXPECT: UNINITIALISED: a kernel adds to an output that it should overwrite.
// SAYS: out[0]: read by thread (0,0,0)
// SAYS: nothing has written it
#include "harness/simt/tests/kernel_test.h"

__global__ void adds_to_an_output_kernel(float* out, const float* in) { out[threadIdx.x] += in[threadIdx.x]; }  // HERE

ASSAY_KERNEL_TEST(adds_to_an_output) {
  launch_kernel(adds_to_an_output_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 32));
  return "";
}

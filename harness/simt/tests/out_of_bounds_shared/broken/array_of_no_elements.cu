// EXPECT: OUT_OF_BOUNDS: an array whose size comes to 0 for this instance of the template.
// SAYS: but the array has 0 bytes
#include "harness/simt/tests/kernel_test.h"

template <int kExtra>
__global__ void array_of_no_elements_kernel(float* y) {
  __shared__ float extra[kExtra];
  extra[threadIdx.x] = threadIdx.x;  // HERE
  __syncthreads();
  y[threadIdx.x] = extra[threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(array_of_no_elements) {
  launch_kernel(array_of_no_elements_kernel<0>, {1, 8}, output<float>("y", 8));
  return "";
}

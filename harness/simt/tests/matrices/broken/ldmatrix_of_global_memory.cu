// EXPECT: OUT_OF_BOUNDS: the rows of a matrix are taken from global memory, which ldmatrix does not know.
// SAYS: but ldmatrix takes an address of shared memory here
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void ldmatrix_of_global_memory_kernel(uint32_t* out, const uint16_t* in) {
  uint32_t r[1];
  assay::simt::ldmatrix_x1(r, &in[threadIdx.x % 8 * 8]);  // HERE
  out[threadIdx.x] = r[0];
}

ASSAY_KERNEL_TEST(ldmatrix_of_global_memory) {
  launch_kernel(ldmatrix_of_global_memory_kernel, {1, 32}, output<uint32_t>("out", 32), input<uint16_t>("in", 128));
  return "";
}

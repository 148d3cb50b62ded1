// EXPECT: RACE: after a block that does right, another has pairs of threads write one 16-bit element.
// SAYS: block (1,0,0): shared tile[0]: write by thread (1,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void halves_written_twice_kernel(unsigned short* out) {
  __shared__ unsigned short tile[64];
  const int t = threadIdx.x;
  tile[t] = 0;
  __syncthreads();
  tile[blockIdx.x == 1 ? t / 2 : t] = t;  // HERE
  __syncthreads();
  out[blockIdx.x * 64 + t] = tile[t];
}

ASSAY_KERNEL_TEST(halves_written_twice) {
  launch_kernel(halves_written_twice_kernel, {2, 64}, output<unsigned short>("out", 128));
  return "";
}

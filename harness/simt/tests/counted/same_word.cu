// TOTAL: bytes_read=32 bank_conflict_degree=1 bank_conflict_max=1 barriers=1
// Every lane reads one word: one sector, which is as few as can be, and a broadcast from its bank.
#include "harness/simt/tests/kernel_test.h"

__global__ void same_word_kernel(float* out, const float* in) {
  __shared__ float common;
  const float scale = in[0];  // LINE: sectors_per_request=1 ideal_sectors_per_request=1
  if (threadIdx.x == 0) common = 2;
  __syncthreads();  // LINE: barriers=1
  out[threadIdx.x] = scale * common;
}

ASSAY_KERNEL_TEST(same_word) {
  launch_kernel(same_word_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 1));
  return "";
}

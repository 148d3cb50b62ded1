// EXPECT: dense: no call, and a frame of some words.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__global__ void keep_some_words(uint64_t* where, float* x) {
  const float mine = x[threadIdx.x];
  __syncthreads();
  x[(threadIdx.x + 1) % blockDim.x] = mine;
  where[threadIdx.x] = stack_pointer();
}

ASSAY_KERNEL_TEST(small_frame) {
  std::vector<uint64_t> where(1000);
  std::vector<float> x(1000);
  launch_kernel(keep_some_words, {1, 1000}, where.data(), x.data());
  return stack_layout(where);
}

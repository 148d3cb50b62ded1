// EXPECT: PASS: a kernel has 48 KB of static shared memory, and the rest of 227 KB is dynamic.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

constexpr int kFloats = 12288, kMoreFloats = (227 - 48) * 256;

__global__ void fill_and_add(float* sum) {
  __shared__ float of_fixed_size[kFloats];
  extern __shared__ float the_rest[];
  for (int i = threadIdx.x; i < kFloats; i += blockDim.x) of_fixed_size[i] = 1;
  for (int i = threadIdx.x; i < kMoreFloats; i += blockDim.x) the_rest[i] = 2;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float total = 0;
  for (int i = 0; i < kFloats; ++i) total += of_fixed_size[i];
  for (int i = 0; i < kMoreFloats; ++i) total += the_rest[i];
  sum[blockIdx.x] = total;
}

ASSAY_KERNEL_TEST(shared_up_to_the_limit) {
  std::vector<float> sums(2);
  launch_kernel(fill_and_add, {2, 64, kMoreFloats * sizeof(float)}, sums.data());
  for (const float sum : sums)
    if (sum != kFloats + 2 * kMoreFloats) return "an element was lost";
  return "";
}

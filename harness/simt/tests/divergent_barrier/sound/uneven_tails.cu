// EXPECT: PASS: a grid-stride loop whose last round only some threads run, then a barrier that all reach.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {
__global__ void sum_stride(unsigned long long* out, const int* in, int n) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += in[i];
  atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
}  // namespace

ASSAY_KERNEL_TEST(uneven_tails) {
  for (const int n : {1, 31, 95, 96, 97, 1000, 1009}) {
    std::vector<int> in(n);
    unsigned long long expected = 0, sum = 0;
    for (int i = 0; i < n; ++i) expected += in[i] = i + 3;
    launch_kernel(sum_stride, {3, 96}, &sum, in.data(), n);
    if (sum != expected) return "a sum is wrong";
  }
  return "";
}

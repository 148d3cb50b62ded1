// EXPECT: own: what is called is known at run time only.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__device__ float doubled(float x) { return 2 * x; }

__global__ void apply(uint64_t* where, float* x, float (*function)(float)) {
  x[threadIdx.x] = function(x[threadIdx.x]);
  __syncthreads();
  where[threadIdx.x] = stack_pointer();
}

ASSAY_KERNEL_TEST(call_through_a_pointer) {
  std::vector<uint64_t> where(64);
  std::vector<float> x(64);
  launch_kernel(apply, {1, 64}, where.data(), x.data(), doubled);
  return stack_layout(where);
}

// EXPECT: dense: a function that is not inlined, one of the mathematical library, an atomic that may give way.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

template <class T>
__device__ __noinline__ T decayed(T x) {
  __syncthreads();
  return expf(-x);
}

template <class T>
__global__ void add_decayed(uint64_t* where, T* sum) {
  atomicAdd(sum, decayed(static_cast<T>(threadIdx.x)));
  where[threadIdx.x] = stack_pointer();
}

ASSAY_KERNEL_TEST(known_callees) {
  std::vector<uint64_t> where(64);
  float sum = 0.0f;
  launch_kernel(add_decayed<float>, {1, 64}, where.data(), &sum);
  return stack_layout(where);
}

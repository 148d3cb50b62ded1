// EXPECT: RACE: a block asks whether it is the last before its first thread has found out.
// SAYS: shared last[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void last_flag_read_too_soon_kernel(int* total, int* partial, unsigned* done, const int* in) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;  // HERE
  }
  if (!last) return;  // HERE
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < gridDim.x; ++i) *total += partial[i];
}

ASSAY_KERNEL_TEST(last_flag_read_too_soon) {
  launch_kernel(last_flag_read_too_soon_kernel, {20, 64}, accumulated<int>("total", 1), output<int>("partial", 20),
                accumulated<unsigned>("done", 1), input<int>("in", 20));
  return "";
}

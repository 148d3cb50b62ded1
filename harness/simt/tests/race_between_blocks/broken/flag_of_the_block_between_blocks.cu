// EXPECT: RACE: blocks hand values on by flags of the block's scope, stored with release and loaded with acquire.
#include <cuda/atomic>

#include "harness/simt/tests/kernel_test.h"

__global__ void flag_of_the_block_between_blocks_kernel(int* out, int* data, int* flag, const int* in) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_block> ready(*flag);
  if (blockIdx.x == 0) {
    data[0] = in[0];                                         // HERE
    ready.store(1, cuda::memory_order_release);              // HERE
  } else if (ready.load(cuda::memory_order_acquire) != 0) {  // HERE
    out[blockIdx.x] = data[0];                               // HERE
  }
}

ASSAY_KERNEL_TEST(flag_of_the_block_between_blocks) {
  launch_kernel(flag_of_the_block_between_blocks_kernel, {2, 32}, accumulated<int>("out", 2), output<int>("data", 1),
                accumulated<int>("flag", 1), input<int>("in", 1));
  return "";
}

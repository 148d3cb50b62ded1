// EXPECT: PASS: blocks take a lock by cuda::atomic with acquire, and give it back with release.
#include <cuda/atomic>

#include "harness/simt/tests/kernel_test.h"

__global__ void lock_by_atomic_of_cuda_kernel(float* row, cuda::atomic<int, cuda::thread_scope_device>* lock,
                                              const float* dy) {
  if (threadIdx.x != 0) return;
  for (int free = 0; !lock->compare_exchange_weak(free, 1, cuda::memory_order_acquire);) free = 0;
  row[0] += dy[blockIdx.x];
  lock->store(0, cuda::memory_order_release);
}

ASSAY_KERNEL_TEST(lock_by_atomic_of_cuda) {
  using Lock = cuda::atomic<int, cuda::thread_scope_device>;
  float* const row = accumulated<float>("row", 1);
  int* const lock = accumulated<int>("lock", 1);
  launch_kernel(lock_by_atomic_of_cuda_kernel, {4, 32}, row, reinterpret_cast<Lock*>(lock), input<float>("dy", 4));
  return row[0] == 42 ? "" : "an update was lost";
}

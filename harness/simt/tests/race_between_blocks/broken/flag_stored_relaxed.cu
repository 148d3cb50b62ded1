// EXPECT: RACE: the flag is loaded with acquire and stored relaxed.
#include <cuda/atomic>

#include "harness/simt/tests/kernel_test.h"

__global__ void flag_stored_relaxed_kernel(int* out, int* data, int* flags, int* ticket, const int* in) {
  if (threadIdx.x != 0) return;
  const int tile = atomicAdd(ticket, 1);
  cuda::atomic_ref<int, cuda::thread_scope_device> mine(flags[tile]);
  data[tile] = in[tile];  // HERE
  mine.store(1, cuda::memory_order_relaxed);
  if (tile == 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> other(flags[tile - 1]);
  while (other.load(cuda::memory_order_acquire) == 0) {
  }
  out[tile] = data[tile - 1];  // HERE
}

ASSAY_KERNEL_TEST(flag_stored_relaxed) {
  const int* const in = input<int>("in", 4);
  int* const out = accumulated<int>("out", 4);
  launch_kernel(flag_stored_relaxed_kernel, {4, 32}, out, output<int>("data", 4), accumulated<int>("flags", 4),
                accumulated<int>("ticket", 1), in);
  return out[3] == in[2] ? "" : "a value is wrong";
}

// EXPECT: PASS: a compaction touches its counter by atomics only.
#include "harness/simt/tests/kernel_test.h"

__global__ void slots_taken_by_atomics_only_kernel(int* out, int* next, const int* in) {
  const int value = in[threadIdx.x];
  if (value > 15) out[atomicAdd(next, 1)] = value;
}

ASSAY_KERNEL_TEST(slots_taken_by_atomics_only) {
  int *const out = accumulated<int>("out", 64), *const next = accumulated<int>("next", 1);
  const int* const in = input<int>("in", 64);
  launch_kernel(slots_taken_by_atomics_only_kernel, {1, 64}, out, next, in);
  int count = 0, sum = 0;
  for (int i = 0; i < 64; ++i) count += in[i] > 15, sum += (in[i] > 15 ? in[i] : 0) - out[i];
  return *next == count && sum == 0 ? "" : "the kept values are wrong";
}

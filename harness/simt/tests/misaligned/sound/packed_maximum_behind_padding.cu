// EXPECT: PASS: an argmax packed into 64 bits is kept behind a header of eight bytes.
#include "harness/simt/tests/kernel_test.h"

__global__ void packed_maximum_behind_padding_kernel(int* slots, const int* x) {
  const unsigned long long packed = static_cast<unsigned long long>(x[threadIdx.x]) << 32 | threadIdx.x;
  atomicMax(reinterpret_cast<unsigned long long*>(slots + 2), packed);
}

ASSAY_KERNEL_TEST(packed_maximum_behind_padding) {
  int* const slots = accumulated<int>("slots", 4);
  const int* const x = input<int>("x", 32);
  launch_kernel(packed_maximum_behind_padding_kernel, {1, 32}, slots, x);
  return slots[3] == 30 && x[slots[2]] == 30 ? "" : "the maximum is wrong";
}

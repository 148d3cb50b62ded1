// EXPECT: MISALIGNED: an argmax packed into 64 bits is kept behind a header of four bytes.
// SAYS: slots[1]: atomic by thread
#include "harness/simt/tests/kernel_test.h"

__global__ void packed_maximum_behind_a_header_kernel(int* slots, const int* x) {
  const unsigned long long packed = static_cast<unsigned long long>(x[threadIdx.x]) << 32 | threadIdx.x;
  atomicMax(reinterpret_cast<unsigned long long*>(slots + 1), packed);  // HERE
}

ASSAY_KERNEL_TEST(packed_maximum_behind_a_header) {
  launch_kernel(packed_maximum_behind_a_header_kernel, {1, 32}, accumulated<int>("slots", 4), input<int>("x", 32));
  return "";
}

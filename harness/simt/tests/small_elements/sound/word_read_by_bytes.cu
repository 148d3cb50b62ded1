// EXPECT: PASS: words of shared memory are written whole, and read by bytes behind a barrier.
#include "harness/simt/tests/kernel_test.h"

__global__ void word_read_by_bytes_kernel(const unsigned* words, unsigned char* bytes) {
  __shared__ unsigned row[32];
  const int i = threadIdx.x;
  if (i < 32) row[i] = words[i];
  __syncthreads();
  bytes[i] = reinterpret_cast<const unsigned char*>(row)[i];
}

ASSAY_KERNEL_TEST(word_read_by_bytes) {
  unsigned char* const bytes = output<unsigned char>("bytes", 128);
  launch_kernel(word_read_by_bytes_kernel, {1, 128}, input<unsigned>("words", 32), bytes);
  return bytes[4] == 7 && bytes[5] == 0 ? "" : "a byte is wrong";
}

// EXPECT: PASS: bytes are read, and written behind a barrier; neighbours belong to other threads, and one thread
// writes bytes and then the word that they are.
#include "harness/simt/tests/kernel_test.h"

__global__ void byte_shift_in_time_kernel(unsigned char* pixels) {
  __shared__ unsigned char row[132];
  const int i = threadIdx.x;
  row[i] = pixels[i];
  __syncthreads();
  const unsigned char next = row[(i + 1) % 128];
  __syncthreads();
  row[i] = next;
  pixels[i] = next;
  __syncthreads();
  if (i < 32) {
    for (int b = 0; b < 4; ++b) row[4 * i + b] += 1;
    reinterpret_cast<unsigned*>(pixels)[i] = reinterpret_cast<const unsigned*>(row)[i];
  }
}

ASSAY_KERNEL_TEST(byte_shift_in_time) {
  unsigned char* const pixels = accumulated<unsigned char>("pixels", 128);
  launch_kernel(byte_shift_in_time_kernel, {1, 128}, pixels);
  return pixels[5] == 1 ? "" : "a byte is wrong";
}

// EXPECT: UNINITIALISED: memory of the heap is taken to be zero.
// SAYS: heap block of 64 bytes, byte 8: read by thread
#include "harness/simt/tests/kernel_test.h"

__global__ void heap_read_before_written_kernel(float* y, int n) {
  float* const row = static_cast<float*>(malloc(64));
  row[n] = 1;
  y[threadIdx.x] = row[2];  // HERE
  free(row);
}

ASSAY_KERNEL_TEST(heap_read_before_written) {
  launch_kernel(heap_read_before_written_kernel, {1, 32}, output<float>("y", 32), 3);
  return "";
}

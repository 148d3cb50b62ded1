// TOTAL: bytes_read=32768 bytes_written=4096
// Lanes go down a column: a sector for each.
#include "harness/simt/tests/kernel_test.h"

__global__ void column_of_a_matrix_kernel(float* out, const float* in) {
  const float value = in[threadIdx.x * 32 + threadIdx.y];  // LINE: sectors_per_request=32 ideal_sectors_per_request=4
  out[threadIdx.y * 32 + threadIdx.x] = value;             // LINE: sectors_per_request=4 requests=32
}

ASSAY_KERNEL_TEST(column_of_a_matrix) {
  launch_kernel(column_of_a_matrix_kernel, {1, dim3(32, 32)}, output<float>("out", 1024), input<float>("in", 1024));
  return "";
}

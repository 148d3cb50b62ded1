// EXPECT: PASS: a row is overwritten by its scaled values when all threads have added it up.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_normalised_in_place_after_barrier_kernel(float* data) {
  float* const row = data + blockIdx.x * 32;
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += row[i];
  __syncthreads();
  row[threadIdx.x] = row[threadIdx.x] / (1 + sum);
}

ASSAY_KERNEL_TEST(row_normalised_in_place_after_barrier) {
  float* const data = accumulated<float>("data", 64);
  for (int i = 0; i < 64; ++i) data[i] = i / 32 + 1;
  launch_kernel(row_normalised_in_place_after_barrier_kernel, {2, 32}, data);
  return data[5] == 1.0f / 33 && data[63] == 2.0f / 65 ? "" : "a value is wrong";
}

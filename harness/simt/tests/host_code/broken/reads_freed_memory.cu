// EXPECT: OUT_OF_BOUNDS: the host frees memory before the launch that reads it.
// SAYS: memory of cudaMalloc (freed)
#include "harness/simt/include/simt/runtime_api.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void reads_freed_memory_kernel(float* out, const float* in) {
  out[threadIdx.x] = 2 * in[threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(reads_freed_memory) {
  float* in = nullptr;
  cudaMalloc(&in, 32 * sizeof(float));
  cudaMemset(in, 0, 32 * sizeof(float));
  cudaFree(in);
  launch_kernel(reads_freed_memory_kernel, {1, 32}, output<float>("out", 32), in);
  return "";
}

// EXPECT: OUT_OF_BOUNDS: the launch is given a pointer to memory of the host, as where a cudaMemcpy was forgotten.
#include "harness/simt/include/simt/runtime_api.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void reads_host_memory_kernel(float* out, const float* in) {
  out[threadIdx.x] = 3 * in[threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(reads_host_memory) {
  const std::vector<float> values(1024, 2);
  launch_kernel(reads_host_memory_kernel, {1, 32}, output<float>("out", 32), values.data());
  return "";
}

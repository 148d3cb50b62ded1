// EXPECT: UNINITIALISED: the host fills all but the last element of memory that it allocated.
// SAYS: memory of cudaMalloc[31]: read by thread (31,0,0)
#include "harness/simt/include/simt/runtime_api.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void host_wrote_a_part_kernel(float* out, const float* in) {
  out[threadIdx.x] = in[threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(host_wrote_a_part) {
  const std::vector<float> values(31, 2);
  float* in = nullptr;
  cudaMalloc(&in, 32 * sizeof(float));
  cudaMemcpy(in, values.data(), 31 * sizeof(float), cudaMemcpyHostToDevice);
  launch_kernel(host_wrote_a_part_kernel, {1, 32}, output<float>("out", 32), in);
  cudaFree(in);
  return "";
}

// EXPECT: PASS: host code fills scratch memory before the launch, by memset and by plain stores.
#include <cstring>

#include "harness/simt/tests/kernel_test.h"

__global__ void host_fills_the_workspace_kernel(float* y, const float* scratch) {
  y[threadIdx.x] = scratch[threadIdx.x];
}

ASSAY_KERNEL_TEST(host_fills_the_workspace) {
  float* const y = output<float>("y", 32);
  float* const scratch = output<float>("workspace", 32);
  std::memset(scratch, 0, 16 * sizeof(float));
  for (int i = 16; i < 32; ++i) scratch[i] = i;
  launch_kernel(host_fills_the_workspace_kernel, {1, 32}, y, scratch);
  return y[0] == 0 && y[31] == 31 ? "" : "the workspace is wrong";
}

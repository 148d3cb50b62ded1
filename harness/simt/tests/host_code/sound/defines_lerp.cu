// EXPECT: PASS: a kernel file may have a lerp of its own, which C++20 has in the global namespace and CUDA has not.
// RUNS IN: fast and checked
#include <cmath>

#include "harness/simt/tests/kernel_test.h"

__device__ inline float lerp(float start, float end, float weight) { return start + weight * (end - start) + 100; }

__global__ void defines_lerp_kernel(float* own, float* standard) {
  own[threadIdx.x] = lerp(1.0f, 3.0f, 0.5f);
  standard[threadIdx.x] = std::lerp(1.0f, 3.0f, 0.5f);
}

ASSAY_KERNEL_TEST(defines_lerp) {
  float *const own = output<float>("own", 2), *const standard = output<float>("standard", 2);
  launch_kernel(defines_lerp_kernel, {1, 2}, own, standard);
  return own[1] == 102 && standard[1] == 2 ? "" : "another lerp was called";
}

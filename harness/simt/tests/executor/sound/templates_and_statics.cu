// EXPECT: PASS: static shared arrays of each instance of a template are its own, and extern "C" kernels launch.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

template <class T>
__global__ void twice(T* data) {
  __shared__ T tile[64];
  static __shared__ int uses;
  if (threadIdx.x == 0) uses = 0;
  __syncthreads();
  tile[63 - threadIdx.x] = data[threadIdx.x];
  atomicAdd(&uses, 1);
  __syncthreads();
  data[threadIdx.x] = tile[63 - threadIdx.x] * T(uses);
}

extern "C" __global__ void add_one(float4* data) { data[threadIdx.x].w += 1.0f; }

ASSAY_KERNEL_TEST(templates_and_statics) {
  std::vector<double> d(64, 1.5);
  std::vector<short> s(64, 3);
  std::vector<float4> f(64, make_float4(0, 0, 0, 1));
  launch_kernel(twice<double>, {1, 64}, d.data());
  launch_kernel(twice<short>, {1, 64}, s.data());
  launch_kernel(add_one, {1, 64}, f.data());
  for (int i = 0; i < 64; ++i)
    if (d[i] != 96.0 || s[i] != 192 || f[i].w != 2.0f) return "a value is wrong";
  return "";
}

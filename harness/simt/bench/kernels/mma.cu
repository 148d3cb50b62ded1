// Products of tensor cores and nothing else: what one costs, with the meeting of its 32 lanes.
#include <cuda_bf16.h>

#include "harness/simt/bench/kernels/kernels.h"
#include "harness/simt/include/simt/launch.h"
#include "harness/simt/include/simt/mma.h"

__global__ void mma_kernel(float* out, const uint32_t* in, int products) {
  const int lane = threadIdx.x % 32;
  uint32_t a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = in[lane];
  for (int i = 0; i < 2; ++i) b[i] = in[lane];
  float d[4] = {};
  for (int i = 0; i < products; ++i) assay::simt::mma_m16n8k16<__nv_bfloat16>(d, a, b);
  out[blockIdx.x * blockDim.x + threadIdx.x] = d[0];
}

__attribute__((visibility("default"))) void assay::bench::mma_m16n8k16(float* out, const uint32_t* in, int products) {
  simt::launch_kernel(mma_kernel, {1, kMmaThreads}, out, in, products);
}

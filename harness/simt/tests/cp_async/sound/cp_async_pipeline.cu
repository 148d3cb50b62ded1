// EXPECT: PASS: two tiles in turn, one being copied while the other is used, with cp.async and with CUDA's own names.
// RUNS IN: fast and checked
#include <cuda_pipeline.h>

#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {

struct WithPtx {
  __device__ static void copy(float4* to, const float4* from) { assay::simt::cp_async<16>(to, from); }
  __device__ static void commit() { assay::simt::cp_async_commit_group(); }
  __device__ static void wait_for_all_but_one() { assay::simt::cp_async_wait_group<1>(); }
};
struct WithPipeline {
  __device__ static void copy(float4* to, const float4* from) { __pipeline_memcpy_async(to, from, sizeof(float4)); }
  __device__ static void commit() { __pipeline_commit(); }
  __device__ static void wait_for_all_but_one() { __pipeline_wait_prior(1); }
};

// Each block sums `tiles` tiles of 64 float4: thread t adds up what thread 63 - t copied. out: (blocks, 64).
template <class Copies>
__global__ void cp_async_pipeline_kernel(float4* out, const float4* in, int tiles) {
  __shared__ float4 tile[2][64];
  const int t = threadIdx.x;
  const float4* const mine = in + blockIdx.x * tiles * 64;
  Copies::copy(&tile[0][t], &mine[t]);
  Copies::commit();
  float4 sum = {};
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) Copies::copy(&tile[(i + 1) % 2][t], &mine[(i + 1) * 64 + t]);
    Copies::commit();
    Copies::wait_for_all_but_one();
    __syncthreads();
    const float4 x = tile[i % 2][63 - t];
    sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}

template <class Copies>
bool is_right() {
  constexpr int kTiles = 5;
  std::vector<float4> in(3 * kTiles * 64), out(3 * 64);
  for (int i = 0; i < 3 * kTiles * 64; ++i) in[i] = {i + 0.0f, i + 1.0f, i * 2.0f, 1};
  launch_kernel(cp_async_pipeline_kernel<Copies>, {3, 64}, out.data(), in.data(), kTiles);
  for (int i = 0; i < 3 * 64; ++i) {
    float4 sum = {};
    for (int tile = 0; tile < kTiles; ++tile) {
      const float4 x = in[(i / 64 * kTiles + tile) * 64 + 63 - i % 64];
      sum = {sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w};
    }
    if (out[i].x != sum.x || out[i].y != sum.y || out[i].z != sum.z || out[i].w != sum.w) return false;
  }
  return true;
}

}  // namespace

ASSAY_KERNEL_TEST(cp_async_pipeline) {
  if (!is_right<WithPtx>()) return "cp.async";
  if (!is_right<WithPipeline>()) return "__pipeline_memcpy_async";
  return "";
}

// Every function of kernels/device that stands for PTX, called once: nvcc compiles this, nobody runs it.
#include "kernels/device/cp_async.cuh"
#include "kernels/device/ldmatrix.cuh"
#include "kernels/device/mma.cuh"

using namespace assay::device;

namespace {

__device__ void copy_all(uint32_t* tile, const float* in) {
  cp_async<4>(tile, in);
  cp_async<8>(tile + 2, in + 2, 4);
  cp_async<16>(tile + 4, in + 4);
  cp_async_commit_group();
  cp_async_wait_group<0>();
  cp_async_wait_all();
}

__device__ void load_all(uint32_t (&a)[4], uint32_t (&b)[2], const void* row) {
  ldmatrix_x1(a, row);
  ldmatrix_x2(b, row);
  ldmatrix_x4(a, row);
  ldmatrix_x1_trans(a, row);
  ldmatrix_x2_trans(b, row);
  ldmatrix_x4_trans(a, row);
}

__device__ void multiply_all(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  mma_m16n8k16<__half>(d, a, b);
  mma_m16n8k16<__nv_bfloat16>(d, a, b);
  mma_m16n8k8<__half>(d, a, b);
  mma_m16n8k8<__nv_bfloat16>(d, a, b);
  mma_m16n8k8_tf32(d, a, b);
}

}  // namespace

__global__ void assay_device_functions(float* out, const float* in) {
  __shared__ __align__(16) uint32_t tile[32 * 4];
  copy_all(tile, in);
  tile[threadIdx.x] = to_tf32(in[threadIdx.x]);
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x % 32);
  uint32_t a[4], b[2];
  load_all(a, b, &tile[lane * 4]);
  float d[4] = {};
  multiply_all(d, a, b);
  for (int i = 0; i < 4; ++i) out[place_in_d(lane, i).row * 8 + place_in_d(lane, i).col] = d[i];
}

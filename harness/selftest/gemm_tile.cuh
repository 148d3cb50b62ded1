// The parts that planted matrix products share: a product by tiles of 16 in f32, over as much of K as the kernel says.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/gemm.cuh"

namespace assay::selftest {

constexpr int kGemmTile = 16;

// C = A B of the first `depth` terms. a_tile, b_tile: shared memory. A block of 16 by 16 threads for each tile of C.
__device__ inline void gemm_tile(const float* a, const float* b, float* c, const device::GemmArgs& args, int64_t depth,
                                 float (*a_tile)[kGemmTile], float (*b_tile)[kGemmTile]) {
  const int64_t tiles = (args.cols + kGemmTile - 1) / kGemmTile;
  const int64_t row = blockIdx.x / tiles * kGemmTile + threadIdx.y, col = blockIdx.x % tiles * kGemmTile + threadIdx.x;
  float sum = 0;
  for (int64_t first = 0; first < depth; first += kGemmTile) {
    const int64_t a_k = first + threadIdx.x, b_k = first + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < args.rows && a_k < depth ? a[args.a.at(row, a_k)] : 0;
    b_tile[threadIdx.y][threadIdx.x] = col < args.cols && b_k < depth ? b[args.b.at(col, b_k)] : 0;
    __syncthreads();
    for (int k = 0; k < kGemmTile; ++k) sum += a_tile[threadIdx.y][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  args.store(c, row, col, sum);
}

template <void (*gemm)(const float*, const float*, float*, device::GemmArgs)>
void run_gemm(Call& call) {
  const device::GemmArgs args = device::gemm_args(call);
  if (args.rows == 0 || args.cols == 0) return;
  const int64_t blocks = device::gemm_blocks(args.rows, args.cols, kGemmTile, kGemmTile);
  launch(gemm, {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(kGemmTile, kGemmTile)}, call.in<float>("a"),
         call.in<float>("b"), call.out<float>("c"), args);
}

}  // namespace assay::selftest

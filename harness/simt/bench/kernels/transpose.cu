// Benchmark (c): transpose through a 32 x 33 tile, one barrier for each tile: this measures
// how fast threads begin and end.
#include <cuda_runtime.h>

#include "harness/simt/bench/kernels/kernels.h"
#include "harness/simt/include/simt/launch.h"

__global__ void transpose_kernel(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int step = 0; step < 32; step += blockDim.y)
    if (x < cols && y + step < rows)
      tile[threadIdx.y + step][threadIdx.x] = in[static_cast<size_t>(y + step) * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int step = 0; step < 32; step += blockDim.y)
    if (x < rows && y + step < cols)
      out[static_cast<size_t>(y + step) * rows + x] = tile[threadIdx.x][threadIdx.y + step];
}

__attribute__((visibility("default"))) void assay::bench::transpose(float* out, const float* in, int rows, int cols,
                                                                    int block_rows) {
  const dim3 grid(static_cast<unsigned>(cols + 31) / 32, static_cast<unsigned>(rows + 31) / 32);
  simt::launch_kernel(transpose_kernel, {grid, dim3(32, static_cast<unsigned>(block_rows))}, out, in, rows, cols);
}

// The transpose of the executor's bench with 16-bit elements, whose shadow is kept by halves.
#include <cuda_bf16.h>

#include "harness/simt/include/simt/launch.h"

__global__ void transpose_halves_kernel(__nv_bfloat16* out, const __nv_bfloat16* in, int side) {
  __shared__ unsigned short tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int step = 0; step < 32; step += blockDim.y)
    tile[threadIdx.y + step][threadIdx.x] = __bfloat16_as_ushort(in[static_cast<size_t>(y + step) * side + x]);
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int step = 0; step < 32; step += blockDim.y)
    out[static_cast<size_t>(y + step) * side + x] = __ushort_as_bfloat16(tile[threadIdx.x][threadIdx.y + step]);
}

namespace assay::bench {
__attribute__((visibility("default"))) void transpose_halves(void* out, const void* in, int side) {
  const auto tiles = static_cast<unsigned>(side) / 32;
  simt::launch_kernel(transpose_halves_kernel, {dim3(tiles, tiles), dim3(32, 8)}, static_cast<__nv_bfloat16*>(out),
                      static_cast<const __nv_bfloat16*>(in), side);
}
}  // namespace assay::bench

// A transposition in the C style: one element type, the sizes first, tiles of 32 by 32 with a column of padding.
#include <cuda_runtime.h>

#define TILE 32
#define ROWS_AT_ONCE 8

// in: (height, width), out: (width, height)
extern "C" __global__ void transpose_tiles(int width, int height, float* out, const float* in) {
  __shared__ float tile[TILE][TILE + 1];
  const int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
  for (int i = threadIdx.y; i < TILE; i += ROWS_AT_ONCE)
    if (top + i < height && left + threadIdx.x < width)
      tile[i][threadIdx.x] = in[(size_t)(top + i) * width + left + threadIdx.x];
  __syncthreads();
  for (int i = threadIdx.y; i < TILE; i += ROWS_AT_ONCE)
    if (left + i < width && top + threadIdx.x < height)
      out[(size_t)(left + i) * height + top + threadIdx.x] = tile[threadIdx.x][i];
}

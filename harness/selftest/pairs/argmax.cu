// The index of the largest element of each row, by a warp for each row. Of equal elements it is the first, or with LAST
// the last that lanes compare.
#include <cuda_runtime.h>

#ifdef LAST
#define COMES_FIRST >
#else
#define COMES_FIRST <
#endif

__global__ void argmax(const float* x, int* idx, int rows, int cols) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float best = -INFINITY;
  int at = 0x7fffffff;
  for (int j = lane; j < cols; j += 32) {
    float v = x[(size_t)row * cols + j];
    if (v > best || at == 0x7fffffff) {
      best = v;
      at = j;
    }
  }
  for (int o = 16; o > 0; o >>= 1) {
    float b = __shfl_xor_sync(0xffffffff, best, o);
    int a = __shfl_xor_sync(0xffffffff, at, o);
    if (a != 0x7fffffff && (at == 0x7fffffff || b > best || (b == best && a COMES_FIRST at))) {
      best = b;
      at = a;
    }
  }
  if (lane == 0) idx[row] = at;
}

// EXPECT: MISMATCH. A NaN is dropped by fmaxf, and a block with one gets a scale that is a number.
// SMALLEST: rows=1 K=32 fill=nan_bits
#include <cuda_fp16.h>
#include <math.h>
#include <stdint.h>

#define QK 32
typedef struct {
  half d;
  int8_t qs[QK];
} block_q8;

__global__ void quantize_blocks(const float *__restrict__ x, block_q8 *__restrict__ y, const int64_t nb) {
  const int64_t ib = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (ib >= nb) return;
  float amax = 0.0f;
  for (int j = 0; j < QK; j++) {
    const float v = x[ib * QK + j];
    amax = fmaxf(amax, fabsf(v));
  }
  const float d = amax / 127.0f;
  const float id = d != 0.0f ? 1.0f / d : 0.0f;
  y[ib].d = __float2half(d);
  for (int j = 0; j < QK; j++) y[ib].qs[j] = (int8_t)roundf(x[ib * QK + j] * id);
}

// EXPECT: NONFINITE MISMATCH PROPERTY. Elements equal to the k-th largest are all kept.
// SMALLEST: rows=1 V=2 k=1
/*
 * Sampler: masks everything but the top_k largest logits of a row, in place.
 */
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <float.h>

namespace sampler {

__device__ inline bool before(float a, int i, float b, int j) {
  if (isnan(a) || isnan(b)) return isnan(a) && (!isnan(b) || i < j);
  return a > b;
}

template <class DType>
__global__ void top_k_mask(DType* logits, int batch_size, int vocab_size, int top_k) {
  extern __shared__ unsigned char kept[];
  DType* row = logits + (size_t)blockIdx.x * vocab_size;
  for (int i = threadIdx.x; i < vocab_size; i += blockDim.x) {
    int rank = 0;
    for (int j = 0; j < vocab_size; j++) rank += before((float)row[j], j, (float)row[i], i);
    kept[i] = rank < top_k;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < vocab_size; i += blockDim.x)
    if (!kept[i]) row[i] = (DType)(-INFINITY);
}

}  // namespace sampler

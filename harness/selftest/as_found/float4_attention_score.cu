// EXPECT: NONFINITE MISMATCH PROPERTY. All four columns of a vector are masked by the first of them.
// SMALLEST: H=1 S=4 causal=1
// Scales scores and hides the future, four columns at a time.
#include <cuda_runtime.h>
#include <vector_types.h>

__global__ void scale_mask_vec4(const float4* __restrict__ scores, float4* __restrict__ masked, int heads, int seq_len,
                                float alpha, bool is_causal) {
  const int vectors = seq_len / 4;
  const size_t total = (size_t)heads * seq_len * vectors;
  for (size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x; n < total; n += (size_t)gridDim.x * blockDim.x) {
    const int col = (int)(n % vectors) * 4;
    const int row = (int)(n / vectors % seq_len);
    float4 s = scores[n];
    s.x *= alpha; s.y *= alpha; s.z *= alpha; s.w *= alpha;
    if (is_causal) {
      if (col > row) s.x = -INFINITY;
      if (col > row) s.y = -INFINITY;
      if (col > row) s.z = -INFINITY;
      if (col > row) s.w = -INFINITY;
    }
    masked[n] = s;
  }
}

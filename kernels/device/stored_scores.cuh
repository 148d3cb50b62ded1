// The forward of attention with a block per query, whose scores are in global memory, for any bias.
#pragma once

#include "kernels/device/attention.cuh"
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"

namespace assay::device {

template <class T, class Bias>
__global__ void attention_forward(const T* q, const T* k, const T* v,  // (B, tokens, heads, D), or heads before tokens
                                  T* o,                                // as q
                                  float* lse,                          // (B, H, Sq)
                                  float* scores,                       // (B, H, Sq, Sk)
                                  AttentionArgs a, Bias bias) {
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x;  // of (B, H, Sq)
  const int64_t i = row % a.queries, h = row / a.queries % a.heads, b = row / a.queries / a.heads;
  const int64_t visible = a.visible(i);
  float* s = scores + row * a.keys;
  q += a.q.at(b, i, h);
  o += a.q.at(b, i, h);
  bias.to_head(b, h);

  float maximum = Larger::kIdentity;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    const T* key = k + a.kv.at(b, j, a.kv_head(h));
    float dot = 0;
    for (int64_t d = 0; d < a.dim; ++d) dot += static_cast<float>(q[d]) * static_cast<float>(key[d]);
    s[j] = bias(dot * a.scale, i, j);
    maximum = Larger()(maximum, s[j]);
  }
  maximum = block_reduce(maximum, scratch, Larger());

  float sum = 0;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    if (!bias.keeps(i, j)) continue;
    s[j] = expf(s[j] - maximum);
    sum += s[j];
  }
  sum = block_reduce(sum, scratch, Add());  // its barriers also make s visible to all threads
  const bool sees_none = sum == 0;          // else the largest score alone adds 1
  if (threadIdx.x == 0) lse[row] = sees_none ? -INFINITY : maximum + logf(sum);

  for (int64_t d = threadIdx.x; d < a.dim; d += blockDim.x) {
    float weighted = 0;
    for (int64_t j = 0; j < visible; ++j)
      if (bias.keeps(i, j)) weighted += s[j] * static_cast<float>(v[a.kv.at(b, j, a.kv_head(h)) + d]);
    o[d] = static_cast<T>(sees_none ? 0 : weighted / sum);
  }
}

inline int64_t score_bytes(const Case& c) {
  return c.dim("B") * c.dim("H") * c.dim("Sq") * c.dim("Sk") * int64_t{sizeof(float)};
}

template <class T, class Bias>
void launch_stored_scores(const Call& call, const Bias& bias) {
  const AttentionArgs a = attention_args(call);
  launch(attention_forward<T, Bias>, block_for_each(call, a.batch * a.heads * a.queries), call.in<T>("q"),
         call.in<T>("k"), call.in<T>("v"), call.out<T>("o"), call.out<float>("lse"), call.workspace<float>(), a, bias);
}

}  // namespace assay::device

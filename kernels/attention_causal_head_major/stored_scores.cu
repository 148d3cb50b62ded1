// A block per query, its scores in global memory: the variant to read first.
//
// Any block size, head size and length. Costs a workspace of one f32 for every pair of query and key, and reads every
// key and value once per query. Probabilities are divided by their sum before they multiply the values, as it is where
// they are saved.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/head_major.cuh"

namespace {

using namespace assay::device;

// q, out: (heads, T, stride)  k, v: (kv_heads, T, stride)  probs: (heads, width, width) or null  scores: (heads, T, T)
template <class T>
__global__ void attention(const T* q, const T* k, const T* v, T* out, T* probs, float* scores, AttentionArgs a,
                          int64_t stride, int64_t width) {
  __shared__ float scratch[1024];
  const int64_t row = blockIdx.x, i = row % a.queries, h = row / a.queries, visible = a.visible(i);
  float* s = scores + row * a.keys;
  q += a.q.at(0, i, h);
  out += a.q.at(0, i, h);

  float maximum = Larger::kIdentity;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    const T* key = k + a.kv.at(0, j, a.kv_head(h));
    float dot = 0;
    for (int64_t d = 0; d < a.dim; ++d) dot += static_cast<float>(q[d]) * static_cast<float>(key[d]);
    s[j] = dot * a.scale;
    maximum = Larger()(maximum, s[j]);
  }
  maximum = block_reduce(maximum, scratch, Larger());

  float sum = 0;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) sum += s[j] = expf(s[j] - maximum);
  sum = block_reduce(sum, scratch, Add());

  for (int64_t j = threadIdx.x; j < a.keys; j += blockDim.x) {
    if (j < visible) s[j] /= sum;
    if (probs) probs[score_row(h, i, width) + j] = static_cast<T>(j < visible ? s[j] : 0);
  }
  __syncthreads();  // all of s is there

  for (int64_t d = threadIdx.x; d < stride; d += blockDim.x) {
    float weighted = 0;
    for (int64_t j = 0; d < a.dim && j < visible; ++j)
      weighted += s[j] * static_cast<float>(v[a.kv.at(0, j, a.kv_head(h)) + d]);
    out[d] = static_cast<T>(weighted);
  }
}

int64_t score_bytes(const assay::Case& c) { return c.dim("H") * c.dim("T") * c.dim("T") * int64_t{sizeof(float)}; }

void run(assay::Call& call) {
  const AttentionArgs a = head_major_args(call.c());
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(attention<T>, block_for_each(call, a.heads * a.queries), call.in<T>("q"), call.in<T>("k"),
                  call.in<T>("v"), call.out<T>("out"), call.out<T>("probs"), call.workspace<float>(), a, call.dim("ad"),
                  call.dim("aw"));
  });
}

const assay::RegisterVariant kVariant({.op = "attention_causal_head_major",
                                       .name = "stored_scores",
                                       .summary = "a block per query, its scores in global memory",
                                       .blocks = {32, 33, 64, 96, 128, 256},
                                       .unsupported = too_many_blocks("a block per query", {"H", "T"}),
                                       .element_at = head_major_element_at,
                                       .workspace_bytes = score_bytes,
                                       .run = run});

}  // namespace

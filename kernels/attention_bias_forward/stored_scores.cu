// A block per query, its scores in global memory: the variant to read first.
//
// Any block size, head size and length. Costs a workspace of one f32 for every pair of query and key, and reads every
// key and value once per query.
#include "kernels/device/attention_bias.cuh"
#include "kernels/device/block_reduce.cuh"

namespace {

using namespace assay::device;

template <class T>
__global__ void attention_bias_forward(const T* q, const T* k, const T* v,  // (B, tokens, heads, D), or head-major
                                       T* o,                                // as q
                                       float* lse,                          // (B, H, Sq)
                                       float* scores,                       // (B, H, Sq, Sk)
                                       AttentionArgs a, AttentionBias<T> bias) {
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

int64_t score_bytes(const assay::Case& c) {
  return c.dim("B") * c.dim("H") * c.dim("Sq") * c.dim("Sk") * int64_t{sizeof(float)};
}

std::optional<std::string> too_many_queries(const assay::Case& c) {
  if (c.dim("B") * c.dim("H") * c.dim("Sq") > INT32_MAX)
    return "a block per query, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const AttentionArgs a = attention_args(call);
  assay::by_dtype(call, [&]<class T>() {
    assay::launch(attention_bias_forward<T>,
                  {.grid = dim3(static_cast<unsigned>(a.batch * a.heads * a.queries)), .block = dim3(call.block())},
                  call.in<T>("q"), call.in<T>("k"), call.in<T>("v"), call.out<T>("o"), call.out<float>("lse"),
                  call.workspace<float>(), a, attention_bias<T>(call));
  });
}

const assay::RegisterVariant kVariant({.op = "attention_bias_forward",
                                       .name = "stored_scores",
                                       .summary = "a block per query, its scores in global memory",
                                       .blocks = {32, 33, 64, 96, 128, 256},
                                       .unsupported = too_many_queries,
                                       .element_at = attention_bias_element_at,
                                       .workspace_bytes = score_bytes,
                                       .run = run});

}  // namespace

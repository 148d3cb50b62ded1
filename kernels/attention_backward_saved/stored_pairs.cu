// A block per query, then a block per key, with the gradients of all scores in global memory: the variant to read
// first.
//
// Any block size, head size and length. Costs a workspace of one f32 for every pair of query and key, and reads every
// key and value once per query, and every query and its gradient once per key.
#include "kernels/device/block_reduce.cuh"
#include "kernels/device/grid.cuh"
#include "kernels/device/head_major.cuh"

namespace {

using namespace assay::device;

template <class T>
struct Backward {
  const T *q, *k, *v, *w, *dout;  // (heads, T, stride), (kv_heads, T, stride) twice, (heads, width, width), as q
  T *ds, *dq, *dk, *dv;           // as w, q, k, v
  float* pairs;                   // (heads, T, T): dS
  int64_t stride, width;
  AttentionArgs a;
};

// dS and dq of a query.
template <class T>
__global__ void query_gradients(Backward<T> in) {
  __shared__ float scratch[1024];
  const AttentionArgs& a = in.a;
  const int64_t i = blockIdx.x % a.queries, h = blockIdx.x / a.queries, visible = a.visible(i);
  const T *w = in.w + score_row(h, i, in.width), *dout = in.dout + a.q.at(0, i, h);
  float* pairs = in.pairs + (h * a.queries + i) * a.keys;

  float sum = 0;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    const T* value = in.v + a.kv.at(0, j, a.kv_head(h));
    float dp = 0;
    for (int64_t d = 0; d < a.dim; ++d) dp += static_cast<float>(dout[d]) * static_cast<float>(value[d]);
    pairs[j] = dp;
    sum += static_cast<float>(w[j]) * dp;
  }
  const float mean = block_reduce(sum, scratch, Add());
  for (int64_t j = threadIdx.x; j < a.keys; j += blockDim.x) {
    const float ds = j < visible ? static_cast<float>(w[j]) * (pairs[j] - mean) : 0;
    pairs[j] = ds;
    in.ds[score_row(h, i, in.width) + j] = static_cast<T>(ds);
  }
  __syncthreads();  // all pairs of the row are there

  for (int64_t d = threadIdx.x; d < in.stride; d += blockDim.x) {
    float dq = 0;
    for (int64_t j = 0; d < a.dim && j < visible; ++j)
      dq += pairs[j] * static_cast<float>(in.k[a.kv.at(0, j, a.kv_head(h)) + d]);
    in.dq[a.q.at(0, i, h) + d] = static_cast<T>(dq * a.scale);
  }
}

// dk and dv of a key, over the queries of its group's heads that see it.
template <class T>
__global__ void key_gradients(Backward<T> in) {
  const AttentionArgs& a = in.a;
  const int64_t j = blockIdx.x % a.keys, g = blockIdx.x / a.keys, group = a.heads / a.kv_heads;
  for (int64_t d = threadIdx.x; d < in.stride; d += blockDim.x) {
    float dk = 0, dv = 0;
    for (int64_t h = g * group; d < a.dim && h < (g + 1) * group; ++h)
      for (int64_t i = j; i < a.queries; ++i) {
        const int64_t at = a.q.at(0, i, h) + d;
        dk += in.pairs[(h * a.queries + i) * a.keys + j] * static_cast<float>(in.q[at]);
        dv += static_cast<float>(in.w[score_row(h, i, in.width) + j]) * static_cast<float>(in.dout[at]);
      }
    in.dk[a.kv.at(0, j, g) + d] = static_cast<T>(dk * a.scale);
    in.dv[a.kv.at(0, j, g) + d] = static_cast<T>(dv);
  }
}

int64_t pair_bytes(const assay::Case& c) { return c.dim("H") * c.dim("T") * c.dim("T") * int64_t{sizeof(float)}; }

void run(assay::Call& call) {
  const AttentionArgs a = head_major_args(call.c());
  assay::by_dtype(call, [&]<class T>() {
    const Backward<T> in = {call.in<T>("q"),
                            call.in<T>("k"),
                            call.in<T>("v"),
                            call.in<T>("w"),
                            call.in<T>("do"),
                            call.out<T>("ds"),
                            call.out<T>("dq"),
                            call.out<T>("dk"),
                            call.out<T>("dv"),
                            call.workspace<float>(),
                            call.dim("ad"),
                            call.dim("aw"),
                            a};
    assay::launch(query_gradients<T>, block_for_each(call, a.heads * a.queries), in);
    assay::launch(key_gradients<T>, block_for_each(call, a.kv_heads * a.keys), in);
  });
}

const assay::RegisterVariant kVariant({.op = "attention_backward_saved",
                                       .name = "stored_pairs",
                                       .summary = "a block per query, then per key; dS of all pairs in the workspace",
                                       .blocks = {32, 33, 64, 96, 128, 256},
                                       .unsupported = too_many_blocks("a block per query", {"H", "T"}),
                                       .element_at = head_major_element_at,
                                       .workspace_bytes = pair_bytes,
                                       .run = run});

}  // namespace

// P and dS of every pair in global memory, then a thread per element of each gradient: the variant to read first.
//
// Any block size, head size and length, and the same bits in every run. Two numbers of workspace for every pair of
// query and key, and every thread reads its rows alone: no tile is shared.
#include <algorithm>

#include "kernels/device/attention_backward_inputs.cuh"
#include "kernels/device/attention_bias.cuh"
#include "kernels/device/attention_delta.cuh"
#include "kernels/device/grid.cuh"

namespace {

using namespace assay::device;

template <class T>
using Inputs = BackwardInputs<T, AttentionBias<T>>;

__device__ int64_t thread_of_grid() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

template <class T>
__device__ float dot_of(const T* x, const T* y, int64_t count) {
  float dot = 0;
  for (int64_t d = 0; d < count; ++d) dot += static_cast<float>(x[d]) * static_cast<float>(y[d]);
  return dot;
}

// The index where the pairs of one query begin.
__device__ int64_t pairs_of(const AttentionArgs& a, int64_t b, int64_t h, int64_t i) {
  return ((b * a.heads + h) * a.queries + i) * a.keys;
}

template <class T>
__global__ void weigh_pairs(Inputs<T> in, float* p, float* ds) {  // p, ds: (B, H, Sq, Sk), of the visible pairs
  const AttentionArgs& a = in.a;
  const int64_t n = thread_of_grid();
  if (n >= a.batch * a.heads * a.queries * a.keys) return;
  const int64_t row = n / a.keys, j = n % a.keys;
  const int64_t i = row % a.queries, h = row / a.queries % a.heads, b = row / a.queries / a.heads;
  if (!in.sees(b, h, i, j)) return;
  const int64_t q = a.q.at(b, i, h), kv = a.kv.at(b, j, a.kv_head(h));
  const float score = dot_of(in.q + q, in.k + kv, a.dim) * a.scale + in.bias.added(b, h, i, j);
  p[n] = expf(score - in.lse[row]);
  ds[n] = p[n] * (dot_of(in.dout + q, in.v + kv, a.dim) - in.delta[row]);
}

template <class T>
__global__ void sum_queries(Inputs<T> in, const float* ds, T* dq) {  // dq: as q
  const AttentionArgs& a = in.a;
  const int64_t n = thread_of_grid(), row = n / a.dim, d = n % a.dim;
  if (n >= a.batch * a.heads * a.queries * a.dim) return;
  const int64_t i = row % a.queries, h = row / a.queries % a.heads, b = row / a.queries / a.heads;
  float sum = 0;
  for (int64_t j = 0; j < a.visible(i); ++j)
    if (in.sees(b, h, i, j))
      sum += ds[pairs_of(a, b, h, i) + j] * static_cast<float>(in.k[a.kv.at(b, j, a.kv_head(h)) + d]);
  dq[a.q.at(b, i, h) + d] = static_cast<T>(a.scale * sum);
}

template <class T, class G>
__global__ void sum_keys(Inputs<T> in, const float* p, const float* ds, G* dk, G* dv) {  // dk, dv: as k
  const AttentionArgs& a = in.a;
  const int64_t n = thread_of_grid(), row = n / a.dim, d = n % a.dim;
  if (n >= a.batch * a.kv_heads * a.keys * a.dim) return;
  const int64_t j = row % a.keys, g = row / a.keys % a.kv_heads, b = row / a.keys / a.kv_heads;
  const int64_t group = a.heads / a.kv_heads;
  float dk_sum = 0, dv_sum = 0;
  for (int64_t h = g * group; h < (g + 1) * group; ++h)
    for (int64_t i = a.first_query(j); i < a.queries; ++i) {
      if (!in.sees(b, h, i, j)) continue;
      const int64_t pair = pairs_of(a, b, h, i) + j, at = a.q.at(b, i, h) + d;
      dk_sum += ds[pair] * static_cast<float>(in.q[at]);
      dv_sum += p[pair] * static_cast<float>(in.dout[at]);
    }
  dk[a.kv.at(b, j, g) + d] = static_cast<G>(a.scale * dk_sum);
  dv[a.kv.at(b, j, g) + d] = static_cast<G>(dv_sum);
}

template <class T>
__global__ void sum_bias(Inputs<T> in, const float* ds, BiasGradientRows gradient, T* dbias) {
  const AttentionArgs& a = in.a;
  const BroadcastExtents& bias = gradient.extents;
  const int64_t n = thread_of_grid(), row = n / a.keys, j = n % a.keys;
  if (n >= bias.batches * bias.heads * bias.queries * a.keys) return;
  const int64_t query = row % bias.queries, head = row / bias.queries % bias.heads;
  const int64_t group = a.heads / bias.heads;
  float sum = 0;
  const int64_t batch = row / bias.queries / bias.heads;
  for (int64_t b = batch; b < a.batch; b += bias.batches)
    for (int64_t h = head * group; h < (head + 1) * group; ++h)
      for (int64_t i = query; i < a.queries; i += bias.queries)
        if (in.sees(b, h, i, j)) sum += ds[pairs_of(a, b, h, i) + j];
  dbias[gradient.at(batch, head, query) + j] = static_cast<T>(sum);
}

int64_t pair_count(const assay::Case& c) { return c.dim("B") * c.dim("H") * c.dim("Sq") * c.dim("Sk"); }

// p and ds of all pairs, and delta unless it is given.
int64_t workspace_bytes(const assay::Case& c) {
  const int64_t deltas = c.text("saved") == "lse_o" ? c.dim("B") * c.dim("H") * c.dim("Sq") : 0;
  return (2 * pair_count(c) + deltas) * int64_t{sizeof(float)};
}

std::optional<std::string> unsupported(const assay::Case& c) {
  const int64_t queries = c.dim("H") * c.dim("Sq"), keys = c.dim("HK") * c.dim("Sk");
  if (std::max(pair_count(c), c.dim("B") * std::max(queries, keys) * c.dim("D")) > INT32_MAX * int64_t{32})
    return "a thread per pair and per element, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

void run(assay::Call& call) {
  const AttentionArgs a = attention_args(call);
  const BiasGradientRows gradient = bias_gradient_rows(call.c());
  const BroadcastExtents& bias = gradient.extents;
  const int64_t pairs = a.batch * a.heads * a.queries * a.keys;
  const auto by_element = [&](int64_t count) { return thread_for_each(call, count); };
  assay::by_dtype(call, [&]<class T>() {
    float *const p = call.workspace<float>(), *const ds = p + pairs;
    const auto in = backward_inputs<T>(call, given_or_computed_delta<T>(call, a, ds + pairs), attention_bias<T>(call));
    assay::launch(weigh_pairs<T>, by_element(pairs), in, p, ds);
    assay::launch(sum_queries<T>, by_element(a.batch * a.heads * a.queries * a.dim), in, ds, call.out<T>("dq"));
    const assay::Launch by_key = by_element(a.batch * a.kv_heads * a.keys * a.dim);
    if (call.text("grads") == "f32")
      assay::launch(sum_keys<T, float>, by_key, in, p, ds, call.out<float>("dk"), call.out<float>("dv"));
    else
      assay::launch(sum_keys<T, T>, by_key, in, p, ds, call.out<T>("dk"), call.out<T>("dv"));
    assay::launch(sum_bias<T>, by_element(bias.batches * bias.heads * bias.queries * a.keys), in, ds, gradient,
                  call.out<T>("dbias"));
  });
}

const assay::RegisterVariant kVariant({.op = "attention_bias_backward",
                                       .name = "stored_pairs",
                                       .summary = "P and dS of every pair stored, then a thread per element",
                                       .blocks = {32, 33, 64, 96, 128, 256},
                                       .domains = {any_dbias_pad()},
                                       .unsupported = unsupported,
                                       .element_at = attention_bias_element_at,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace

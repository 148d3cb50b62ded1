// The common parts of planted attention kernels, so that each of them shows its bug and little else: a thread per
// query, in f32, which takes in its keys one by one.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/attention.cuh"

namespace assay::selftest {

struct Attention {
  const float *q, *k, *v;  // (B, tokens, heads, D), or heads before tokens
  float* o;                // as q
  float* lse;              // (B, H, Sq)
  device::AttentionArgs a;
};

// The query of a thread and its online softmax: o holds the sum of exp(score - maximum) times value so far.
struct AttentionRow {
  const Attention& t;
  int64_t row, b, h, i, kv_head;
  float maximum = -INFINITY, total = 0;

  // row: of (B, H, Sq), which must exist.
  __device__ AttentionRow(const Attention& tensors, int64_t row_)
      : t(tensors),
        row(row_),
        b(row / t.a.queries / t.a.heads),
        h(row / t.a.queries % t.a.heads),
        i(row % t.a.queries),
        kv_head(t.a.kv_head(h)) {
    for (int64_t d = 0; d < t.a.dim; ++d) o()[d] = 0;
  }
  __device__ float* o() const { return t.o + t.a.q.at(b, i, h); }

  // The part of the score of key j from elements [from, end) of the head.
  __device__ float score(int64_t j, int64_t from, int64_t end) const {
    const float *query = t.q + t.a.q.at(b, i, h), *key = t.k + t.a.kv.at(b, j, kv_head);
    float dot = 0;
    for (int64_t d = from; d < end; ++d) dot += query[d] * key[d];
    return dot * t.a.scale;
  }
  __device__ float score(int64_t j) const { return score(j, 0, t.a.dim); }

  // Takes in a score's maximum; returns the factor that puts o into proportion, which is left to the caller.
  __device__ float raise_maximum(float s) {
    if (!(s > maximum) && !isnan(s)) return 1;
    const float factor = expf(maximum - s);
    maximum = s;
    total *= factor;
    return factor;
  }
  __device__ void multiply(float factor) {
    for (int64_t d = 0; d < t.a.dim; ++d) o()[d] *= factor;
  }
  __device__ void add_value(int64_t j, float weight) {
    const float* value = t.v + t.a.kv.at(b, j, kv_head);
    for (int64_t d = 0; d < t.a.dim; ++d) o()[d] += weight * value[d];
    total += weight;
  }
  // Key j with score s, all of the above in order.
  __device__ void add(int64_t j, float s) {
    multiply(raise_maximum(s));
    add_value(j, expf(s - maximum));
  }
  // total is 0 for a query that sees no key.
  __device__ void finish() {
    if (total != 0) multiply(1 / total);
    t.lse[row] = maximum + logf(total);
  }
};

// A thread per query; row: its row of (B, H, Sq), if there is one.
__device__ inline bool own_row(const Attention& t, int64_t& row) {
  row = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  return row < t.a.batch * t.a.heads * t.a.queries;
}

// `more` are the kernel's parameters after the first.
template <class... More>
void launch_attention(const Call& call, void (*attention)(Attention, More...), std::type_identity_t<More>... more) {
  const device::AttentionArgs a = device::attention_args(call);
  launch(attention, device::thread_for_each(call, a.batch * a.heads * a.queries),
         Attention{call.in<float>("q"), call.in<float>("k"), call.in<float>("v"), call.out<float>("o"),
                   call.out<float>("lse"), a},
         more...);
}

template <void (*attention)(Attention)>
void run_attention(const Call& call) {
  launch_attention(call, attention);
}

}  // namespace assay::selftest

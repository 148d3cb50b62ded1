// The parts that planted kernels of attention_causal_head_major share: one thread for each row of the output, which
// goes through the keys by itself.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/head_major.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::selftest {

struct HeadMajor {
  const float *q, *k, *v;  // (heads, T, stride), (kv_heads, T, stride)
  float *out, *probs;      // (heads, T, stride), (heads, width, width) or null
  int64_t stride, width;
  device::AttentionArgs a;

  __device__ float score(int64_t h, int64_t kv_head, int64_t i, int64_t j) const {
    float product = 0;
    for (int64_t d = 0; d < a.dim; ++d) product += q[a.q.at(0, i, h) + d] * k[a.kv.at(0, j, kv_head) + d];
    return product * a.scale;
  }

  // Row n of the output, with the keys of `kv_head`. far: factor of the weights from the ninth key on.
  __device__ void attend(int64_t n, int64_t kv_head, float far) const {
    const int64_t i = n % a.queries, h = n / a.queries;
    float* row = out + n * stride;
    float maximum = -INFINITY, total = 0;
    for (int64_t d = 0; d < stride; ++d) row[d] = 0;
    for (int64_t j = 0; j <= i; ++j) {
      const float s = score(h, kv_head, i, j), larger = device::Larger()(maximum, s), old = expf(maximum - larger);
      const float weight = expf(s - larger) * (j < 8 ? 1 : far);
      maximum = larger;
      total = total * old + weight;
      for (int64_t d = 0; d < a.dim; ++d) row[d] = row[d] * old + weight * v[a.kv.at(0, j, kv_head) + d];
    }
    for (int64_t d = 0; d < a.dim; ++d) row[d] /= total;
    for (int64_t j = 0; probs && j < a.queries; ++j)
      probs[device::score_row(h, i, width) + j] =
          j <= i ? expf(score(h, kv_head, i, j) - maximum) * (j < 8 ? 1 : far) / total : 0;
  }
  __host__ __device__ int64_t head(int64_t n) const { return n / a.queries; }
  __host__ __device__ int64_t rows() const { return a.heads * a.queries; }
};

template <void (*attend)(HeadMajor)>
void run_head_major(const Call& call) {
  const HeadMajor m = {
      call.in<float>("q"),      call.in<float>("k"), call.in<float>("v"), call.out<float>("out"),
      call.out<float>("probs"), call.dim("ad"),      call.dim("aw"),      device::head_major_args(call.c())};
  launch(attend, device::thread_for_each(call, m.rows()), m);
}

}  // namespace assay::selftest

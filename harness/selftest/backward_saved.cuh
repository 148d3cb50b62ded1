// The parts that planted kernels of attention_backward_saved share: a thread for each row of ds, then one for each lane
// of the gradients, so that each of them shows its bug and little else.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/head_major.cuh"

namespace assay::selftest {

struct SavedBackward {
  const float *q, *k, *v, *w, *dout;
  float *ds, *dq, *dk, *dv;
  int64_t stride, width;
  device::AttentionArgs a;

  __device__ float dp(int64_t h, int64_t i, int64_t j) const {
    float product = 0;
    for (int64_t d = 0; d < a.dim; ++d) product += dout[a.q.at(0, i, h) + d] * v[a.kv.at(0, j, a.kv_head(h)) + d];
    return product;
  }

  // Row n of ds.
  __device__ void score_row(int64_t n) const {
    const int64_t h = n / a.queries, i = n % a.queries, row = device::score_row(h, i, width);
    float mean = 0;
    for (int64_t j = 0; j <= i; ++j) mean += w[row + j] * dp(h, i, j);
    for (int64_t j = 0; j < a.keys; ++j) ds[row + j] = j <= i ? w[row + j] * (dp(h, i, j) - mean) : 0;
  }

  // Lane n of dq.
  __device__ void query_lane(int64_t n) const {
    const int64_t d = n % stride, i = n / stride % a.queries, h = n / stride / a.queries;
    float sum = 0;
    for (int64_t j = 0; d < a.dim && j <= i; ++j)
      sum += ds[device::score_row(h, i, width) + j] * k[a.kv.at(0, j, a.kv_head(h)) + d];
    dq[n] = sum * a.scale;
  }

  // Lane n of dk and dv, from `heads` heads of the group.
  __device__ void key_lane(int64_t n, int64_t heads, float key_scale) const {
    const int64_t d = n % stride, j = n / stride % a.keys, g = n / stride / a.keys, group = a.heads / a.kv_heads;
    float key_sum = 0, value_sum = 0;
    for (int64_t h = g * group; h < g * group + heads; ++h)
      for (int64_t i = j; d < a.dim && i < a.queries; ++i) {
        const int64_t pair = device::score_row(h, i, width) + j, at = a.q.at(0, i, h) + d;
        key_sum += ds[pair] * q[at];
        value_sum += w[pair] * dout[at];
      }
    dk[n] = key_sum * key_scale;
    dv[n] = value_sum;
  }
};

__global__ inline void score_rows(SavedBackward in) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < in.a.heads * in.a.queries) in.score_row(n);
}

__global__ inline void query_lanes(SavedBackward in) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < in.a.heads * in.a.queries * in.stride) in.query_lane(n);
}

// key_lanes: a thread for each lane of dk and dv.
template <void (*key_lanes)(SavedBackward)>
void run_saved_backward(const Call& call) {
  const SavedBackward in = {call.in<float>("q"),   call.in<float>("k"),   call.in<float>("v"),
                            call.in<float>("w"),   call.in<float>("do"),  call.out<float>("ds"),
                            call.out<float>("dq"), call.out<float>("dk"), call.out<float>("dv"),
                            call.dim("ad"),        call.dim("aw"),        device::head_major_args(call.c())};
  const auto shape = [&](int64_t threads) { return device::thread_for_each(call, threads); };
  launch(score_rows, shape(in.a.heads * in.a.queries), in);
  launch(query_lanes, shape(in.a.heads * in.a.queries * in.stride), in);
  launch(key_lanes, shape(in.a.kv_heads * in.a.keys * in.stride), in);
}

}  // namespace assay::selftest

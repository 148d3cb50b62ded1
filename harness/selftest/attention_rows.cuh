// The common parts of planted attention backward kernels: f32, one thread for each sequence of the batch, which goes
// over its pairs one by one, so that the loop over them shows the bug and little else.
#pragma once

#include "harness/selftest/planted_kernel.cuh"
#include "kernels/device/attention_backward_inputs.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::selftest {

struct Row {  // a query of head h, which reads key/value head g
  int64_t b, h, g, i;
};

// Written by add_*; dq as q, dk and dv as k.
struct Gradients {
  float *dq, *dk, *dv;
};

template <class Bias>
using RowInputs = device::BackwardInputs<float, Bias>;

template <class Bias>
__device__ float dot(const RowInputs<Bias>& in, const float* x, const float* y, const Row& row, int64_t j) {
  x += in.a.q.at(row.b, row.i, row.h);
  y += in.a.kv.at(row.b, j, row.g);
  float sum = 0;
  for (int64_t d = 0; d < in.a.dim; ++d) sum += x[d] * y[d];
  return sum;
}

template <class Bias>
__device__ float score(const RowInputs<Bias>& in, const Row& row, int64_t j) {
  return dot(in, in.q, in.k, row, j) * in.a.scale + in.bias.added(row.b, row.h, row.i, j);
}

// dP_ij = dO_i·v_j
template <class Bias>
__device__ float output_product(const RowInputs<Bias>& in, const Row& row, int64_t j) {
  return dot(in, in.dout, in.v, row, j);
}

// The largest score of keys first … end-1, and the sum of exp(score - largest).
struct ScoreSums {
  float maximum = -INFINITY, total = 0;
};

__device__ inline ScoreSums score_sums(const RowInputs<device::NoBias>& in, const Row& row, int64_t first,
                                       int64_t end) {
  ScoreSums sums;
  for (int64_t j = first; j < end; ++j) sums.maximum = device::Larger()(sums.maximum, score(in, row, j));
  for (int64_t j = first; j < end; ++j) sums.total += expf(score(in, row, j) - sums.maximum);
  return sums;
}

// P and dS of a pair, from the LSE and delta that are given.
struct Weights {
  float p, ds;
};

template <class Bias>
__device__ Weights given_weights(const RowInputs<Bias>& in, const Row& row, int64_t j) {
  const float p = expf(score(in, row, j) - in.lse_of(row.b, row.h, row.i));
  return {p, p * (output_product(in, row, j) - in.delta_of(row.b, row.h, row.i))};
}

// dq_i += ds k_j, dk_j += ds q_i and dv_j += p dO_i, of one pair.
template <class Bias>
__device__ void add_to_query(const RowInputs<Bias>& in, const Gradients& out, const Row& row, int64_t j, float ds) {
  float* dq = out.dq + in.a.q.at(row.b, row.i, row.h);
  for (int64_t d = 0; d < in.a.dim; ++d) dq[d] += ds * in.k[in.a.kv.at(row.b, j, row.g) + d];
}
template <class Bias>
__device__ void add_to_key(const RowInputs<Bias>& in, const Gradients& out, const Row& row, int64_t j, float ds) {
  float* dk = out.dk + in.a.kv.at(row.b, j, row.g);
  for (int64_t d = 0; d < in.a.dim; ++d) dk[d] += ds * in.q[in.a.q.at(row.b, row.i, row.h) + d];
}
template <class Bias>
__device__ void add_to_value(const RowInputs<Bias>& in, const Gradients& out, const Row& row, int64_t j, float p) {
  float* dv = out.dv + in.a.kv.at(row.b, j, row.g);
  for (int64_t d = 0; d < in.a.dim; ++d) dv[d] += p * in.dout[in.a.q.at(row.b, row.i, row.h) + d];
}

// Calls f(element) for each element of dk and dv in the block's sequence.
template <class Bias, class F>
__device__ void for_each_key_element(const RowInputs<Bias>& in, F f) {
  const int64_t count = in.a.kv_heads * in.a.keys * in.a.dim;
  for (int64_t n = blockIdx.x * count; n < (blockIdx.x + 1) * count; ++n) f(n);
}

// Sets the gradients of the block's sequence to 0, but those of keys that are added to what is there; then calls f(row)
// for each of its rows.
template <class Bias, class F>
__device__ void for_each_row(const RowInputs<Bias>& in, const Gradients& out, F f) {
  const int64_t b = blockIdx.x, of_queries = in.a.heads * in.a.queries * in.a.dim;
  for (int64_t n = b * of_queries; n < (b + 1) * of_queries; ++n) out.dq[n] = 0;
  if (!in.adds) for_each_key_element(in, [&](int64_t n) { out.dk[n] = out.dv[n] = 0; });
  for (int64_t h = 0; h < in.a.heads; ++h)
    for (int64_t i = 0; i < in.a.queries; ++i) f(Row{.b = b, .h = h, .g = in.a.kv_head(h), .i = i});
}

inline Gradients gradients(const Call& call) {
  return {.dq = call.out<float>("dq"), .dk = call.out<float>("dk"), .dv = call.out<float>("dv")};
}

// Inputs of attention_backward; lse and delta are those of the case, if it gives them.
inline RowInputs<device::NoBias> row_inputs(const Call& call) {
  return device::backward_inputs<float>(call, call.in<float>("delta"), device::NoBias());
}

inline Launch thread_per_sequence(const Call& call) {
  return {.grid = dim3(static_cast<unsigned>(call.dim("B"))), .block = dim3(1)};
}

template <void (*backward)(RowInputs<device::NoBias>, Gradients)>
void run_backward(const Call& call) {
  launch(backward, thread_per_sequence(call), row_inputs(call), gradients(call));
}

// saved: the value of that attribute with which a case gives what the kernel takes from the forward, lse_delta or none.
inline RegisterVariant planted_taking(PlantedKernel kernel, std::string saved) {
  kernel.blocks = {};
  kernel.unsupported = [saved](const Case& c) -> std::optional<std::string> {
    if (c.text("saved") == saved) return std::nullopt;
    if (saved == "none") return "computes the probabilities again; use saved=none";
    return "takes lse and delta from the forward; use saved=" + saved;
  };
  kernel.adjust = [saved](Case& c) { c.set("saved", saved); };
  return planted(std::move(kernel));
}

}  // namespace assay::selftest

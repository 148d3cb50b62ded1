// The parts that planted kernels of attention_bias_backward share, beyond those of attention_rows.cuh.
#pragma once

#include "harness/selftest/attention_rows.cuh"
#include "kernels/device/attention_bias.cuh"

namespace assay::selftest {

using BiasedInputs = RowInputs<device::AttentionBias<float>>;

__global__ inline void clear_dbias(float* dbias, device::BiasGradientRows rows, int64_t keys) {
  for (int64_t n = 0; n < rows.at(rows.extents.batches, 0, 0); ++n)
    if (n % rows.stride < keys) dbias[n] = 0;
}

// For every pair of a query and a key that it sees: adds its parts of dq, dk and dv, and calls f(row, j, dS_ij).
template <class F>
__device__ void for_each_pair(const BiasedInputs& in, const Gradients& out, F f) {
  for_each_row(in, out, [&](const Row& row) {
    for (int64_t j = 0; j < in.a.visible(row.i); ++j) {
      if (!in.sees(row.b, row.h, row.i, j)) continue;
      const Weights w = given_weights(in, row, j);
      add_to_query(in, out, row, j, in.a.scale * w.ds);
      add_to_key(in, out, row, j, in.a.scale * w.ds);
      add_to_value(in, out, row, j, w.p);
      f(row, j, w.ds);
    }
  });
}

// Clears dbias first. `more` are the kernel's parameters after the third.
template <class... More>
void launch_biased_backward(const Call& call, void (*backward)(BiasedInputs, Gradients, float* dbias, More...),
                            std::type_identity_t<More>... more) {
  float* const dbias = call.out<float>("dbias");
  launch(clear_dbias, {.grid = dim3(1), .block = dim3(1)}, dbias, device::bias_gradient_rows(call.c()), call.dim("Sk"));
  launch(backward, thread_per_sequence(call),
         device::backward_inputs<float>(call, call.in<float>("delta"), device::attention_bias<float>(call)),
         gradients(call), dbias, more...);
}

}  // namespace assay::selftest

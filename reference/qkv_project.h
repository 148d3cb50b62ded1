// qkv_project in plain loops: one inner product for each lane of each head of each token, with its bias as a term more.
// Weights may be blocks, and x may be packed to q8_k first.
#pragma once

#include <vector>

#include "harness/op/reference.h"
#include "reference/block_activations.h"
#include "reference/block_weights.h"

namespace assay::reference {

// One head of one token: out(h, t, d) = bias(h, d) + sum_e x_e w(h, d, e). bias: null where the case has none
template <class S>
void project_head(const ActivationRow<S>& x, const Weights<S>& w, const RefTensor<S>* bias, int64_t h, int64_t t,
                  RefTensor<S>& out) {
  const int64_t lanes = out.shape[2];
  for (int64_t d = 0; d < lanes; ++d) {
    Sum<S> total;
    if (bias != nullptr) total.add((*bias)(h, d));
    out(h, t, d) = sum_of_products(total, x, [&](int64_t e) { return w(h, d, e); });
  }
}

template <class S>
void qkv_project(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), heads = io.dim("H"), kv_heads = io.dim("HK");
  const int64_t lanes = io.dim("ad"), ins = io.dim("aE");
  const Weights<S> wq(io, "wq", io.text("wq_format"), {heads, lanes, ins});
  const Weights<S> wk(io, "wk", io.text("wk_format"), {kv_heads, lanes, ins});
  const Weights<S> wv(io, "wv", io.text("wv_format"), {kv_heads, lanes, ins});
  const auto& x = io.in("x");  // (T, aE)
  std::vector<ActivationRow<S>> rows_of_x;
  for (int64_t t = 0; t < tokens; ++t) {
    const auto first = x.values.begin() + t * ins;
    rows_of_x.push_back(activation_row(io.text("activations"), std::vector<S>(first, first + ins)));
  }
  const auto bias = [&](const char* name) { return io.has(name) ? &io.in(name) : nullptr; };

  const int64_t all_heads = heads + 2 * kv_heads;
  const double flops = 2.0 * static_cast<double>(tokens * all_heads) * static_cast<double>(lanes * ins);
  io.each_row(all_heads * tokens, flops, [&](int64_t row) {  // those of q, then of k, then of v
    const int64_t h = row / tokens, t = row % tokens;
    const ActivationRow<S>& of_token = rows_of_x[static_cast<size_t>(t)];
    if (h < heads)
      project_head(of_token, wq, bias("bq"), h, t, io.out("q"));
    else if (h < heads + kv_heads)
      project_head(of_token, wk, bias("bk"), h - heads, t, io.out("k"));
    else
      project_head(of_token, wv, bias("bv"), h - heads - kv_heads, t, io.out("v"));
  });
}

}  // namespace assay::reference

// qkv_project in plain loops: one inner product for each lane of each head of each token, with its bias as a term more.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

// One head of one token: out(h, t, d) = bias(h, d) + sum_e x(t, e) w(h, d, e). bias: null where the case has none
template <class S>
void project_head(const RefTensor<S>& x, const RefTensor<S>& w, const RefTensor<S>* bias, int64_t h, int64_t t,
                  RefTensor<S>& out) {
  const int64_t lanes = w.shape[1], ins = w.shape[2];
  for (int64_t d = 0; d < lanes; ++d) {
    Sum<S> total;
    if (bias != nullptr) total.add((*bias)(h, d));
    for (int64_t e = 0; e < ins; ++e) total.add_product(x(t, e), w(h, d, e));
    out(h, t, d) = total.value();
  }
}

template <class S>
void qkv_project(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), heads = io.dim("H"), kv_heads = io.dim("HK");
  const auto& x = io.in("x");  // (T, aE)
  const auto bias = [&](const char* name) { return io.has(name) ? &io.in(name) : nullptr; };

  const int64_t all_heads = heads + 2 * kv_heads;
  const double flops = 2.0 * static_cast<double>(tokens * all_heads) * static_cast<double>(io.dim("ad") * io.dim("aE"));
  for (const int64_t row : io.rows(all_heads * tokens, flops)) {  // those of q, then of k, then of v
    const int64_t h = row / tokens, t = row % tokens;
    if (h < heads)
      project_head(x, io.in("wq"), bias("bq"), h, t, io.out("q"));
    else if (h < heads + kv_heads)
      project_head(x, io.in("wk"), bias("bk"), h - heads, t, io.out("k"));
    else
      project_head(x, io.in("wv"), bias("bv"), h - heads - kv_heads, t, io.out("v"));
  }
}

}  // namespace assay::reference

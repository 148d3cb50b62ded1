// attention_project in plain loops: one inner product over all heads for each element, with the bias as a term more.
// Weights by row may be blocks, and the heads of a token side by side may be packed to q8_k first.
#pragma once

#include <vector>

#include "harness/op/reference.h"
#include "reference/block_activations.h"
#include "reference/block_weights.h"

namespace assay::reference {

template <class S>
void attention_project(ReferenceIo<S>& io) {
  const int64_t heads = io.dim("H"), tokens = io.dim("T"), lanes = io.dim("ad"), outs = io.dim("aE");
  const bool by_head = io.text("wo") == "by_head";
  const auto& attn = io.in("attn");                                            // (H, T, ad)
  const Weights<S> wo(io, "wo", io.text("wo_format"), {outs, heads * lanes});  // where by_head (H, aE, ad)
  const auto& bo = io.in("bo");                                                // (aE), or nothing
  auto& out = io.out("out");                                                   // (T, aE)

  const double flops = 2.0 * static_cast<double>(tokens * outs) * static_cast<double>(heads * lanes);
  const std::string& activations = io.text("activations");
  io.each_row(tokens, flops, [&](int64_t t) {
    std::vector<S> of_token;
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t d = 0; d < lanes; ++d) of_token.push_back(attn(h, t, d));
    const ActivationRow<S> row = activation_row(activations, std::move(of_token));
    for (int64_t e = 0; e < outs; ++e) {
      Sum<S> total;
      if (io.has("bo")) total.add(bo[e]);
      out(t, e) =
          sum_of_products(total, row, [&](int64_t i) { return by_head ? wo(i / lanes, e, i % lanes) : wo(e, i); });
    }
  });
}

}  // namespace assay::reference

// attention_project in plain loops: one inner product over all heads for each element, with the bias as a term more.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void attention_project(ReferenceIo<S>& io) {
  const int64_t heads = io.dim("H"), tokens = io.dim("T"), lanes = io.dim("ad"), outs = io.dim("aE");
  const bool by_head = io.text("wo") == "by_head";
  const auto& attn = io.in("attn");  // (H, T, ad)
  const auto& wo = io.in("wo");      // (H, aE, ad) where by_head, else (aE, H*ad)
  const auto& bo = io.in("bo");      // (aE), or nothing
  auto& out = io.out("out");         // (T, aE)

  for (const int64_t t : io.rows(tokens, 2.0 * static_cast<double>(tokens * outs) * static_cast<double>(heads * lanes)))
    for (int64_t e = 0; e < outs; ++e) {
      Sum<S> total;
      if (io.has("bo")) total.add(bo[e]);
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t d = 0; d < lanes; ++d)
          total.add_product(attn(h, t, d), by_head ? wo(h, e, d) : wo(e, h * lanes + d));
      out(t, e) = total.value();
    }
}

}  // namespace assay::reference

// attention_project_backward in plain loops: the gradient of each head of each token, then dWo and dbo by rows of Wo.
#pragma once

#include <vector>

#include "harness/op/last_outputs.h"
#include "reference/columns.h"

namespace assay::reference {

template <class S>
void attention_project_backward(ReferenceIo<S>& io) {
  const int64_t heads = io.dim("H"), tokens = io.dim("T"), lanes = io.dim("ad"), outs = io.dim("aE");
  const bool by_head = io.text("wo") == "by_head", adds = io.text("dw") == "accumulate";
  const auto &dout = io.in("dout"), &attn = io.in("attn"), &wo = io.in("wo");  // (T, aE), (H, T, ad), as dwo
  auto &dattn = io.out("dattn"), &dwo = io.out("dwo");  // (H, T, ad), and (H, aE, ad) or (aE, H*ad)
  auto& dbo = io.out("dbo");                            // (aE), or nothing
  const auto dwo_before = dwo, dbo_before = dbo;        // rows() forgets them where it gives a sample

  const auto weight_at = [&](int64_t h, int64_t e, int64_t d) {
    return by_head ? (h * outs + e) * lanes + d : (e * heads + h) * lanes + d;
  };
  const double flops = 4.0 * static_cast<double>(tokens * outs) * static_cast<double>(heads * lanes);
  const std::vector<int64_t> some_outs = rows_of(io, {"dwo", "dbo"}, outs, flops);
  for (const int64_t row : rows_of(io, {"dattn"}, heads * tokens, flops)) {
    const int64_t h = row / tokens, t = row % tokens;
    sum_columns<S>(
        outs, lanes, [](Sum<S>&, int64_t) {},
        [&](Sum<S>& total, int64_t e, int64_t d) { total.add_product(dout(t, e), wo[weight_at(h, e, d)]); },
        [&](int64_t d, S total) { dattn(h, t, d) = total; });
  }
  for (const int64_t e : some_outs) {
    Sum<S> bias;
    if (adds && io.has("dbo")) bias.add(dbo_before[e]);
    for (int64_t t = 0; t < tokens; ++t) bias.add(dout(t, e));
    if (io.has("dbo")) dbo[e] = bias.value();
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t d = 0; d < lanes; ++d) {
        Sum<S> total;
        if (adds) total.add(dwo_before[weight_at(h, e, d)]);
        for (int64_t t = 0; t < tokens; ++t) total.add_product(dout(t, e), attn(h, t, d));
        dwo[weight_at(h, e, d)] = total.value();
      }
  }
}

}  // namespace assay::reference

// qkv_project_backward in plain loops: dx by tokens, over all heads of q, k and v, then dW and db by lanes of heads.
#pragma once

#include <vector>

#include "harness/op/last_outputs.h"
#include "reference/columns.h"

namespace assay::reference {

template <class S>
void qkv_project_backward(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), heads = io.dim("H"), kv_heads = io.dim("HK");
  const int64_t lanes = io.dim("ad"), ins = io.dim("aE"), all_heads = heads + 2 * kv_heads;
  const bool adds = io.text("dw") == "accumulate";
  const auto& x = io.in("x");  // (T, aE)
  auto& dx = io.out("dx");     // (T, aE)

  struct Projection {
    const RefTensor<S>&dy, &w;          // (heads, T, ad), (heads, ad, aE)
    RefTensor<S>&dw, *db;               // (heads, ad, aE), and (heads, ad) or null
    RefTensor<S> dw_before, db_before;  // rows() forgets them where it gives a sample
  };
  std::vector<Projection> all;
  const auto add = [&](const char* dy, const char* w, const char* dw, const char* db) {
    all.push_back({io.in(dy), io.in(w), io.out(dw), io.has(db) ? &io.out(db) : nullptr, io.out(dw), io.out(db)});
  };
  add("dq", "wq", "dwq", "dbq");
  add("dk", "wk", "dwk", "dbk");
  add("dv", "wv", "dwv", "dbv");

  const double flops = 4.0 * static_cast<double>(tokens * all_heads) * static_cast<double>(lanes * ins);
  // Lanes of heads: those of q, then of k, then of v.
  const auto place_of = [&](int64_t row) {
    const int64_t head = row / lanes;
    const size_t which = head < heads ? 0 : head < heads + kv_heads ? 1 : 2;
    return std::pair(which, which == 0 ? head : which == 1 ? head - heads : head - heads - kv_heads);
  };
  const std::vector<int64_t> some_lanes =
      rows_of(io, {"dwq", "dbq", "dwk", "dbk", "dwv", "dbv"}, all_heads * lanes, flops);
  for (const int64_t t : rows_of(io, {"dx"}, tokens, flops))
    sum_columns<S>(
        all_heads * lanes, ins, [](Sum<S>&, int64_t) {},
        [&](Sum<S>& total, int64_t row, int64_t e) {
          const auto [which, h] = place_of(row);
          total.add_product(all[which].dy(h, t, row % lanes), all[which].w(h, row % lanes, e));
        },
        [&](int64_t e, S total) { dx(t, e) = total; });
  for (const int64_t row : some_lanes) {
    const int64_t d = row % lanes;
    const auto [which, h] = place_of(row);
    Projection& p = all[which];
    Sum<S> bias;
    if (adds && p.db) bias.add(p.db_before(h, d));
    for (int64_t t = 0; t < tokens; ++t) bias.add(p.dy(h, t, d));
    if (p.db) (*p.db)(h, d) = bias.value();
    for (int64_t e = 0; e < ins; ++e) {
      Sum<S> total;
      if (adds) total.add(p.dw_before(h, d, e));
      for (int64_t t = 0; t < tokens; ++t) total.add_product(p.dy(h, t, d), x(t, e));
      p.dw(h, d, e) = total.value();
    }
  }
}

}  // namespace assay::reference

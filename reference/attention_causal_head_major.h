// attention_causal_head_major in plain loops: softmax of the scores of each query, times the values, with the
// probabilities as an output where the case saves them.
#pragma once

#include <cmath>

#include "reference/attention_forward.h"

namespace assay::reference {

// q, out: T rows of H heads; k, v: of HK heads. Rows lie ad elements apart and have D = ad - pad of them.
inline AttentionShape head_major_shape(const Case& c) {
  const int64_t tokens = c.dim("T"), stride = c.dim("ad"), dim = stride - c.dim("pad");
  return {.batch = 1,
          .queries = tokens,
          .keys = tokens,
          .heads = c.dim("H"),
          .kv_heads = c.dim("HK"),
          .dim = dim,
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim))),
          .takes_scale_from_dim = true,
          .causal = true,
          .diagonal = 0,
          .keys_end = tokens,
          .q = {true, tokens, c.dim("H"), stride},
          .kv = {true, tokens, c.dim("HK"), stride}};
}

template <class S>
void attention_causal_head_major(ReferenceIo<S>& io, const AttentionShape& a) {
  const AttentionScores<S> scores(io, a, false);
  const auto& v = io.in("v");
  auto &out = io.out("out"), &probs = io.out("probs");
  const bool saved = io.text("probs") == "saved";
  const int64_t width = io.dim("aw"), stride = io.dim("ad");
  const double flops = 2 * attention_product_flops(a);
  const std::vector<int64_t> rows = io.rows(a.queries, flops);
  const double scale_spread = a.scale_spread();

  on_all_cores<S>(a.heads, flops, [&](int64_t h) {
    for (size_t first = 0; first < rows.size(); first += kQueryGroup) {
      const size_t end = std::min(rows.size(), first + kQueryGroup);
      std::vector<AttentionRow<S>> group;
      for (ScoreRow<S>& seen :
           scores.rows(0, h, rows.data() + first, rows.data() + end, [](int64_t, int64_t) { return true; }))
        group.push_back({seen.query, std::move(seen.keys), softmax_row(seen.scores, false, scale_spread),
                         std::vector<SoftmaxMean<S>>(static_cast<size_t>(a.dim)), MultipliedWeight<S>(io)});
      for_each_key(group, [&](AttentionRow<S>& row, size_t n) {
        const S weight = row.softmax.weights[n];
        const S multiplied = row.multiplied(weight, row.softmax.sum);
        const S* v_row = &v[a.kv.at(0, row.keys[n], a.kv_head(h))];
        for (int64_t d = 0; d < a.dim; ++d) row.means[static_cast<size_t>(d)].add(weight, multiplied, v_row[d]);
        if (saved) probs[(h * width + row.query) * width + row.keys[n]] = weight / row.softmax.sum;
      });
      for (const AttentionRow<S>& row : group) {
        S* out_row = &out[a.q.at(0, row.query, h)];
        for (int64_t d = 0; d < a.dim; ++d) out_row[d] = row.means[static_cast<size_t>(d)].value(row.softmax.sum);
        for (int64_t d = a.dim; d < stride; ++d) out_row[d] = S(0);
        const auto seen = static_cast<int64_t>(row.keys.size());
        for (int64_t j = seen; saved && j < a.queries; ++j) probs[(h * width + row.query) * width + j] = S(0);
      }
    }
  });
}

}  // namespace assay::reference

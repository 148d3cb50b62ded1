// attention_forward and attention_bias_forward: softmax of the scores of each query, times the values.
//
//   P_ij = exp(S_ij - LSE_i)    LSE_i = ln sum_j exp S_ij    O_i = sum_j P_ij v_j
//
// A query that sees no key has O = 0 and LSE = -inf.
#pragma once

#include "reference/attention.h"

namespace assay::reference {

template <class S>
struct AttentionRow {  // of one query
  int64_t query;
  std::vector<int64_t> keys;
  SoftmaxRow<S> softmax;
  std::vector<SoftmaxMean<S>> means;  // of the values' D elements
  MultipliedWeight<S> multiplied;
};

// q, o: Sq tokens of H heads; k, v: Sk tokens of HK heads, in the case's layout. lse: (B, H, Sq).
template <class S>
void attention_forward(ReferenceIo<S>& io, const AttentionShape& a, bool biased) {
  const AttentionScores<S> scores(io, a, biased);
  const auto& v = io.in("v");
  auto &o = io.out("o"), &lse = io.out("lse");
  const double flops = 2 * attention_product_flops(a);
  const std::vector<int64_t> rows = io.rows(a.queries, flops);
  const bool base_2 = io.by_formula("base_2");
  const double scale_spread = a.scale_spread();

  on_all_cores<S>(a.batch * a.heads, flops, [&](int64_t of_all) {
    const int64_t b = of_all / a.heads, h = of_all % a.heads;
    for (size_t first = 0; first < rows.size(); first += kQueryGroup) {
      const size_t end = std::min(rows.size(), first + kQueryGroup);
      std::vector<AttentionRow<S>> group;
      for (ScoreRow<S>& seen :
           scores.rows(b, h, rows.data() + first, rows.data() + end, [](int64_t, int64_t) { return true; }))
        group.push_back({seen.query, std::move(seen.keys), softmax_row(seen.scores, base_2, scale_spread),
                         std::vector<SoftmaxMean<S>>(static_cast<size_t>(a.dim)), MultipliedWeight<S>(io)});
      for_each_key(group, [&](AttentionRow<S>& row, size_t n) {
        const S weight = row.softmax.weights[n];
        const S multiplied = row.multiplied(weight, row.softmax.sum);
        const S* v_row = &v[a.kv.at(b, row.keys[n], a.kv_head(h))];
        for (int64_t d = 0; d < a.dim; ++d) row.means[static_cast<size_t>(d)].add(weight, multiplied, v_row[d]);
      });
      for (const AttentionRow<S>& row : group) {
        lse(b, h, row.query) = row.softmax.maximum + log(row.softmax.sum);
        for (int64_t d = 0; d < a.dim; ++d)
          o[a.q.at(b, row.query, h) + d] =
              row.keys.empty() ? S(0) : row.means[static_cast<size_t>(d)].value(row.softmax.sum);
      }
    }
  });
}

}  // namespace assay::reference

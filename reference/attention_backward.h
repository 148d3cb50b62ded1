// attention_backward and attention_bias_backward: from dO, the gradients of q, k, v and of the bias.
//
//   dP_ij = dO_i·v_j    dS_ij = P_ij (dP_ij - delta_i)    delta_i = sum_j P_ij dP_ij = dO_i·O_i
//   dQ_i = scale sum_j dS_ij k_j    dK_j = scale sum_ih dS_ij q_i    dV_j = sum_ih P_ij dO_i    dBias_ij = dS_ij
//
// dK and dV add up the query heads of their group, dBias every dimension in which the bias is broadcast. What the
// forward saved is taken as it is given, roundings included: P = exp(S - LSE) with its LSE, delta from its O or given
// itself.
#pragma once

#include "reference/attention.h"

namespace assay::reference {

// q, o, do: Sq tokens of H heads; k, v: Sk tokens of HK heads, in the case's layout. lse, delta: (B, H, Sq).
template <class S>
class AttentionBackward {
 public:
  AttentionBackward(ReferenceIo<S>& io, const AttentionShape& shape, bool biased)
      : a(shape),
        saved(io.text("saved")),
        scores(io, a, biased),
        q(io.in("q")),
        k(io.in("k")),
        v(io.in("v")),
        go(io.in("do")),
        o(io.in("o")),
        lse(io.in("lse")),
        delta(io.in("delta")),
        dq(io.out("dq")),
        dk(io.out("dk")),
        dv(io.out("dv")),
        dbias(biased ? &io.out("dbias") : nullptr) {
    const double flops = 5 * attention_product_flops(a);
    rows = io.rows(a.queries, flops);
    cols = io.rows(a.keys, flops);
    for (const int64_t i : rows) is_row[static_cast<size_t>(i)] = true;
    for (const int64_t j : cols) is_col[static_cast<size_t>(j)] = true;
    if (dbias) dbias_sums.resize(dbias->values.size());
  }

  void run() {
#pragma omp parallel for collapse(2) if (std::is_same_v <S, double> && !dbias)
    for (int64_t b = 0; b < a.batch; ++b)
      for (int64_t g = 0; g < a.kv_heads; ++g) kv_head(b, g);
    if (!dbias) return;
    for (size_t n = 0; n < dbias_sums.size(); ++n)
      if (is_known_bias(static_cast<int64_t>(n))) dbias->values[n] = dbias_sums[n].value();
  }

 private:
  struct Weights {  // of one query and the keys it sees
    std::vector<int64_t> keys;
    std::vector<S> p, ds;
  };

  void kv_head(int64_t b, int64_t g) {
    std::vector<Sum<S>> dk_sums(static_cast<size_t>(a.keys * a.dim)), dv_sums(dk_sums.size());
    for (int64_t h = 0; h < a.heads; ++h) {
      if (a.kv_head(h) != g) continue;
      for (int64_t i = 0; i < a.queries; ++i) {
        Weights w = weights(b, h, i);
        if (is_row[static_cast<size_t>(i)]) write_dq(b, h, i, w);
        if (repeats_query_before(b, h, i)) err_in_step(w);
        const S *q_row = &q[a.q.at(b, i, h)], *do_row = &go[a.q.at(b, i, h)];
        for (size_t n = 0; n < w.keys.size(); ++n) {
          if (!is_col[static_cast<size_t>(w.keys[n])]) continue;
          Sum<S>*dk_row = &dk_sums[static_cast<size_t>(w.keys[n] * a.dim)],
          *dv_row = &dv_sums[static_cast<size_t>(w.keys[n] * a.dim)];
          const S ds = operand(w.ds[n]) * S(a.scale), p = operand(w.p[n]);
          for (int64_t d = 0; d < a.dim; ++d) dk_row[d].add(ds * q_row[d]);
          for (int64_t d = 0; d < a.dim; ++d) dv_row[d].add(p * do_row[d]);
        }
        if (dbias) add_to_bias(b, h, i, w);
      }
    }
    for (const int64_t j : cols)
      for (int64_t d = 0; d < a.dim; ++d) {
        dk[a.kv.at(b, j, g) + d] = dk_sums[static_cast<size_t>(j * a.dim + d)].value();
        dv[a.kv.at(b, j, g) + d] = dv_sums[static_cast<size_t>(j * a.dim + d)].value();
      }
  }

  // Equal queries with equal dO err alike: their products with a key are rounded to the same numbers. Sums over queries
  // add that up, however much the terms differ because the queries see different keys.
  bool repeats_query_before(int64_t b, int64_t h, int64_t i) const {
    if (i == 0) return false;
    const int64_t at = a.q.at(b, i, h), before = a.q.at(b, i - 1, h);
    for (int64_t d = 0; d < a.dim; ++d)
      if (plain(q[at + d]) != plain(q[before + d]) || plain(go[at + d]) != plain(go[before + d])) return false;
    return true;
  }
  static void err_in_step(Weights& w) {
    for (S& p : w.p) p = shared(p);
    for (S& ds : w.ds) ds = shared(ds);
  }

  // P and dS of one query. Where only some columns are wanted and the forward's sums are given, only of those.
  Weights weights(int64_t b, int64_t h, int64_t i) const {
    const bool whole = saved == "none" || is_row[static_cast<size_t>(i)];
    Weights w;
    std::vector<S> s, dp;
    const S* do_row = &go[a.q.at(b, i, h)];
    for (int64_t j = 0; j < a.visible(i); ++j) {
      if (!scores.sees(b, h, i, j) || !(whole || is_col[static_cast<size_t>(j)])) continue;
      w.keys.push_back(j);
      s.push_back(scores.score(b, h, i, j));
      dp.push_back(dot(do_row, &v[a.kv.at(b, j, a.kv_head(h))], a.dim));
    }
    S c = S(0);
    if (saved == "none") {
      const SoftmaxRow<S> softmax = softmax_row(s);
      const S sum = shared(softmax.sum);
      SoftmaxMean<S> mean;
      for (size_t n = 0; n < s.size(); ++n) {
        const S weight = exp(s[n] - softmax.maximum);
        w.p.push_back(weight / sum);
        mean.add(weight, dp[n]);
      }
      c = shared(mean.value(softmax.sum));
    } else {
      for (const S& score : s) w.p.push_back(exp(score - lse(b, h, i)));
      c = saved == "lse_delta" ? delta(b, h, i) : shared(dot(do_row, &o[a.q.at(b, i, h)], a.dim));
    }
    for (size_t n = 0; n < dp.size(); ++n) w.ds.push_back(w.p[n] * (dp[n] - c));
    return w;
  }

  void write_dq(int64_t b, int64_t h, int64_t i, const Weights& w) {
    std::vector<Sum<S>> sums(static_cast<size_t>(a.dim));
    for (size_t n = 0; n < w.keys.size(); ++n) {
      const S ds = operand(w.ds[n]) * S(a.scale);
      const S* k_row = &k[a.kv.at(b, w.keys[n], a.kv_head(h))];
      for (int64_t d = 0; d < a.dim; ++d) sums[static_cast<size_t>(d)].add(ds * k_row[d]);
    }
    for (int64_t d = 0; d < a.dim; ++d) dq[a.q.at(b, i, h) + d] = sums[static_cast<size_t>(d)].value();
  }

  void add_to_bias(int64_t b, int64_t h, int64_t i, const Weights& w) {
    const BroadcastLayout& at = scores.bias_layout();
    const int64_t row = at.at(b, scores.broadcast_head(h, at.heads), i);
    for (size_t n = 0; n < w.keys.size(); ++n) {
      const int64_t element = row + w.keys[n];
      if (is_known_bias(element)) dbias_sums[static_cast<size_t>(element)].add(w.ds[n]);
    }
  }
  bool is_known_bias(int64_t element) const {
    const BroadcastLayout& at = scores.bias_layout();
    if (at.queries == 1) return is_col[static_cast<size_t>(element % at.keys)];
    return is_row[static_cast<size_t>(element / at.keys % at.queries)];
  }

  const AttentionShape& a;
  const std::string saved;
  const AttentionScores<S> scores;
  const RefTensor<S>&q, &k, &v, &go, &o, &lse, &delta;
  RefTensor<S>&dq, &dk, &dv;
  RefTensor<S>* dbias;
  std::vector<Sum<S>> dbias_sums;
  std::vector<int64_t> rows, cols;
  std::vector<bool> is_row = std::vector<bool>(static_cast<size_t>(a.queries));
  std::vector<bool> is_col = std::vector<bool>(static_cast<size_t>(a.keys));
};

template <class S>
void attention_backward(ReferenceIo<S>& io, const AttentionShape& a, bool biased) {
  AttentionBackward<S>(io, a, biased).run();
}

}  // namespace assay::reference

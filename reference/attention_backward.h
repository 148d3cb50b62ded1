// attention_backward and attention_bias_backward: from dO, the gradients of q, k, v and of the bias.
//
//   dP_ij = dO_i·v_j    dS_ij = P_ij (dP_ij - delta_i)    delta_i = sum_j P_ij dP_ij = dO_i·O_i
//   dQ_i = scale sum_j dS_ij k_j    dK_j = scale sum_ih dS_ij q_i    dV_j = sum_ih P_ij dO_i    dBias_ij = dS_ij
//
// dK and dV add up the query heads of their group, dBias every dimension in which the bias is broadcast. What the
// forward saved is taken as it is given, roundings included: P = exp(S - LSE) with its LSE, delta from its O or given
// itself.
#pragma once

#include <numeric>

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
    rows = io.rows(a.queries, flops);
    cols = io.rows(a.keys, flops);
    for (const int64_t i : rows) is_row[static_cast<size_t>(i)] = true;
    for (const int64_t j : cols) is_col[static_cast<size_t>(j)] = true;
    if (dbias) dbias_sums.resize(dbias->values.size());
  }

  void run() {
    const bool parallel = in_parallel<S>(flops) && !dbias;
#pragma omp parallel for collapse(2) if (parallel)
    for (int64_t b = 0; b < a.batch; ++b)
      for (int64_t g = 0; g < a.kv_heads; ++g) kv_head(b, g);
    if (!dbias) return;
    for (size_t n = 0; n < dbias_sums.size(); ++n)
      if (is_known_bias(static_cast<int64_t>(n))) dbias->values[n] = dbias_sums[n].value();
  }

 private:
  struct Weights {  // of one query and the keys it sees
    int64_t query;
    std::vector<int64_t> keys;
    std::vector<S> scores, dp, p, ds;
    std::vector<Sum<S>> dq;
    Repeats<S> repeats;  // of ds
  };

  struct KeySums {  // of one key
    std::vector<Sum<S>> dk, dv;
    Repeats<S> p, ds;
    void resize(size_t dim) {
      dk.resize(dim);
      dv.resize(dim);
    }
  };

  void kv_head(int64_t b, int64_t g) {
    std::vector<KeySums> sums(static_cast<size_t>(a.keys));
    for (const int64_t j : cols) sums[static_cast<size_t>(j)].resize(static_cast<size_t>(a.dim));
    std::vector<int64_t> all(static_cast<size_t>(a.queries));
    std::iota(all.begin(), all.end(), 0);
    for (int64_t h = 0; h < a.heads; ++h) {
      if (a.kv_head(h) != g) continue;
      for (int64_t first = 0; first < a.queries; first += kQueryGroup) {
        const int64_t end = std::min(a.queries, first + kQueryGroup);
        std::vector<Weights> group = weights(b, h, all.data() + first, all.data() + end);
        write_dq(b, h, group);
        for (Weights& w : group) {
          if (repeats_query_before(b, h, w.query)) err_in_step(w);
          if (dbias) add_to_bias(b, h, w);
        }
        add_to_keys(b, h, group, sums);
      }
    }
    for (const int64_t j : cols)
      for (int64_t d = 0; d < a.dim; ++d) {
        dk[a.kv.at(b, j, g) + d] = sums[static_cast<size_t>(j)].dk[static_cast<size_t>(d)].value();
        dv[a.kv.at(b, j, g) + d] = sums[static_cast<size_t>(j)].dv[static_cast<size_t>(d)].value();
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

  // P and dS of a few queries. Where only some columns are wanted and the forward's sums are given, only of those.
  std::vector<Weights> weights(int64_t b, int64_t h, const int64_t* first, const int64_t* end) const {
    const auto wanted = [&](int64_t i, int64_t j) {
      return saved == "none" || is_row[static_cast<size_t>(i)] || is_col[static_cast<size_t>(j)];
    };
    std::vector<Weights> group;
    for (ScoreRow<S>& row : scores.rows(b, h, first, end, wanted))
      group.push_back({row.query, std::move(row.keys), std::move(row.scores), {}, {}, {}, {}, {}});
    for_each_key(group, [&](Weights& w, size_t n) {
      w.dp.push_back(dot(&go[a.q.at(b, w.query, h)], &v[a.kv.at(b, w.keys[n], a.kv_head(h))], a.dim));
    });
    for (Weights& w : group) weigh(b, h, w);
    return group;
  }

  // From S and dP to P and dS.
  void weigh(int64_t b, int64_t h, Weights& w) const {
    const int64_t i = w.query;
    S c = S(0);
    if (saved == "none") {
      const SoftmaxRow<S> softmax = softmax_row(w.scores);
      const S sum = shared(softmax.sum);
      SoftmaxMean<S> mean;
      for (size_t n = 0; n < w.dp.size(); ++n) {
        w.p.push_back(softmax.weights[n] / sum);
        mean.add(softmax.weights[n], w.dp[n], 0);
      }
      c = shared(mean.value(softmax.sum));
    } else {
      for (const S& score : w.scores) w.p.push_back(exp(score - lse(b, h, i)));
      const int64_t at = a.q.at(b, i, h);
      c = saved == "lse_delta" ? delta(b, h, i) : shared(dot(&go[at], &o[at], a.dim));
    }
    for (size_t n = 0; n < w.dp.size(); ++n) w.ds.push_back(w.p[n] * (w.dp[n] - c));
  }

  void add_to_keys(int64_t b, int64_t h, std::vector<Weights>& group, std::vector<KeySums>& sums) const {
    for_each_key(group, [&](Weights& w, size_t n) {
      if (!is_col[static_cast<size_t>(w.keys[n])]) return;
      KeySums& key = sums[static_cast<size_t>(w.keys[n])];
      const S ds = operand(w.ds[n], key.ds.before(w.ds[n])) * S(a.scale), p = operand(w.p[n], key.p.before(w.p[n]));
      const S *q_row = &q[a.q.at(b, w.query, h)], *do_row = &go[a.q.at(b, w.query, h)];
      for (int64_t d = 0; d < a.dim; ++d) key.dk[static_cast<size_t>(d)].add(ds * q_row[d]);
      for (int64_t d = 0; d < a.dim; ++d) key.dv[static_cast<size_t>(d)].add(p * do_row[d]);
    });
  }

  void write_dq(int64_t b, int64_t h, std::vector<Weights>& group) {
    for (Weights& w : group)
      if (is_row[static_cast<size_t>(w.query)]) w.dq.resize(static_cast<size_t>(a.dim));
    for_each_key(group, [&](Weights& w, size_t n) {
      if (w.dq.empty()) return;
      const S ds = operand(w.ds[n], w.repeats.before(w.ds[n])) * S(a.scale);
      const S* k_row = &k[a.kv.at(b, w.keys[n], a.kv_head(h))];
      for (int64_t d = 0; d < a.dim; ++d) w.dq[static_cast<size_t>(d)].add(ds * k_row[d]);
    });
    for (const Weights& w : group)
      for (size_t d = 0; d < w.dq.size(); ++d) dq[a.q.at(b, w.query, h) + static_cast<int64_t>(d)] = w.dq[d].value();
  }

  void add_to_bias(int64_t b, int64_t h, const Weights& w) {
    const BroadcastLayout& at = scores.bias_layout();
    const int64_t row = at.at(b, scores.broadcast_head(h, at.heads), w.query);
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
  const double flops = 5 * attention_product_flops(a);
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

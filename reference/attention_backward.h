// attention_backward and attention_bias_backward: from dO, the gradients of q, k, v and of the bias.
//
//   dP_ij = dO_i·v_j    dS_ij = P_ij (dP_ij - delta_i)    delta_i = sum_j P_ij dP_ij = dO_i·O_i
//   dQ_i = scale sum_j dS_ij k_j    dK_j = scale sum_ih dS_ij q_i    dV_j = sum_ih P_ij dO_i    dBias_ij = dS_ij
//
// dK and dV add up the query heads of their group, with what was there before where a case accumulates, dBias every
// dimension in which the bias is broadcast. Saved results of the forward are taken as given, roundings included: P =
// exp(S - LSE) with its LSE, delta from its O or given itself. A kernel may make P, the LSE, delta or several of them
// anew, from scores of its own: those are formulas.
#pragma once

#include <numeric>

#include "reference/attention.h"

namespace assay::reference {

// q, o, do: Sq tokens of H heads; k, v: Sk tokens of HK heads, in the case's layout. lse: (B, H, Sq); delta too, or
// (B, Sq, H).
template <class S>
class AttentionBackward {
 public:
  AttentionBackward(ReferenceIo<S>& io, const AttentionShape& shape, bool biased)
      : a(shape),
        saved(io.text("saved")),
        own_p(saved == "none" || io.by_formula("own_p") || io.by_formula("own_p_and_delta")),
        own_lse(io.by_formula("own_lse") || io.by_formula("own_lse_and_delta")),
        base_2(own_lse || io.by_formula("base_2")),
        own_delta(saved == "none" || io.by_formula("own_delta") || io.by_formula("own_p_and_delta") ||
                  io.by_formula("own_lse_and_delta")),
        by_products(io.by_formula("p_dp_minus_p_delta")),
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
        dk_before(a.adds_to_keys ? dk : RefTensor<S>{}),  // rows() forgets them where it gives a sample
        dv_before(a.adds_to_keys ? dv : RefTensor<S>{}),
        dbias(biased ? &io.out("dbias") : nullptr),
        round_p(io.rounding("p")),
        round_normalised(io.rounding("p_normalised")),
        round_dp(io.rounding("dp")),
        round_ds(io.rounding("ds")),
        round_o(io.rounding("o")),
        round_head(io.rounding("dk_dv_of_head")),
        multiplied(io) {
    rows = io.rows(a.queries, flops);
    cols = io.rows(a.keys, flops);
    for (const int64_t i : rows) is_row[static_cast<size_t>(i)] = true;
    for (const int64_t j : cols) is_col[static_cast<size_t>(j)] = true;
    if (!dbias) return;
    const BroadcastLayout& bias = scores.bias_layout();
    dbias_sums.resize(static_cast<size_t>(bias.batches * bias.heads * bias.queries * bias.keys));
  }

  void run() {
    // Heads, or batches, that add up to one bias are done one after the other.
    const int64_t batches = dbias && scores.bias_layout().batches == 1 ? 1 : a.batch;
    const int64_t heads = dbias && scores.bias_layout().heads == 1 ? 1 : a.kv_heads;
    on_all_cores<S>(batches * heads, flops, [&](int64_t part) {
      for (int64_t b = part / heads; b < a.batch; b += batches)
        for (int64_t g = part % heads; g < a.kv_heads; g += heads) kv_head(b, g);
    });
    if (!dbias) return;
    for (int64_t n = 0; n < std::ssize(dbias_sums); ++n)  // rows of dbias may lie further apart than those of the bias
      if (is_known_bias(n))
        (*dbias)[n / a.keys * dbias->shape[3] + n % a.keys] = dbias_sums[static_cast<size_t>(n)].value();
  }

 private:
  struct Weights {  // of one query and the keys it sees
    int64_t query;
    std::vector<int64_t> keys;
    std::vector<S> scores, dp, p, ds;
    std::vector<Sum<S>> dq;
    Repeats<S> repeats, normalised;  // of ds, and of p that is rounded once
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
    std::vector<KeySums> sums;
    resize(sums);
    if (a.adds_to_keys) add_what_was_there(b, g, sums);
    std::vector<int64_t> all(static_cast<size_t>(a.queries));
    std::iota(all.begin(), all.end(), 0);
    for (int64_t h = 0; h < a.heads; ++h) {
      if (a.kv_head(h) != g) continue;
      std::vector<KeySums> of_group;
      if (round_head.declared()) of_group.swap(sums), resize(sums);
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
      if (round_head.declared()) sums = with_rounded_head(std::move(of_group), sums);
    }
    for (const int64_t j : cols)
      for (int64_t d = 0; d < a.dim; ++d) {
        dk[a.kv.at(b, j, g) + d] = as_scaled(sums[static_cast<size_t>(j)].dk[static_cast<size_t>(d)].value());
        dv[a.kv.at(b, j, g) + d] = sums[static_cast<size_t>(j)].dv[static_cast<size_t>(d)].value();
      }
  }

  void add_what_was_there(int64_t b, int64_t g, std::vector<KeySums>& sums) const {
    for (const int64_t j : cols)
      for (int64_t d = 0; d < a.dim; ++d) {
        sums[static_cast<size_t>(j)].dk[static_cast<size_t>(d)].add(dk_before[a.kv.at(b, j, g) + d]);
        sums[static_cast<size_t>(j)].dv[static_cast<size_t>(d)].add(dv_before[a.kv.at(b, j, g) + d]);
      }
  }

  void resize(std::vector<KeySums>& sums) const {
    sums.resize(static_cast<size_t>(a.keys));
    for (const int64_t j : cols) sums[static_cast<size_t>(j)].resize(static_cast<size_t>(a.dim));
  }

  // The group's sums and those of one more head, which was stored in between.
  std::vector<KeySums> with_rounded_head(std::vector<KeySums> group, const std::vector<KeySums>& head) const {
    for (size_t j = 0; j < head.size(); ++j)
      for (size_t d = 0; d < head[j].dk.size(); ++d) {
        group[j].dk[d].add(round_head(head[j].dk[d].value()));
        group[j].dv[d].add(round_head(head[j].dv[d].value()));
      }
    return group;
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
      return own_p || own_lse || own_delta || is_row[static_cast<size_t>(i)] || is_col[static_cast<size_t>(j)];
    };
    std::vector<Weights> group;
    for (ScoreRow<S>& row : scores.rows(b, h, first, end, wanted))
      group.push_back({row.query, std::move(row.keys), std::move(row.scores), {}, {}, {}, {}, {}, {}});
    for_each_key(group, [&](Weights& w, size_t n) {
      w.dp.push_back(round_dp(dot(&go[a.q.at(b, w.query, h)], &v[a.kv.at(b, w.keys[n], a.kv_head(h))], a.dim)));
    });
    for (Weights& w : group) weigh(b, h, w);
    return group;
  }

  // Computes P and dS from S and dP.
  void weigh(int64_t b, int64_t h, Weights& w) const {
    SoftmaxRow<S> softmax;
    if (own_p || own_lse) softmax = softmax_row(w.scores, base_2, scale_spread);
    if (own_p && !own_lse) {
      const S sum = shared(softmax.sum);
      for (const S& weight : softmax.weights) w.p.push_back(weight / sum);
    } else {
      const S row_lse = own_lse ? shared(softmax.maximum + log(softmax.sum)) : lse(b, h, w.query);
      const Exponential<S> p(row_lse, base_2);
      for (const S& score : w.scores)
        w.p.push_back(with_scale_error(p(score), plain(p(score)) * plain(score), scale_spread));
    }
    for (S& p : w.p) p = round_normalised(p, w.normalised.before(round_normalised, p));
    const S c = own_delta ? shared(delta_anew(b, h, w, softmax)) : delta_given(b, h, w.query);
    for (size_t n = 0; n < w.dp.size(); ++n)
      w.ds.push_back(by_products ? w.p[n] * w.dp[n] - w.p[n] * c : w.p[n] * (w.dp[n] - c));
  }

  // A gradient with what its scale errs by.
  S as_scaled(S gradient) const { return with_scale_error(gradient, plain(gradient), scale_spread); }

  S delta_given(int64_t b, int64_t h, int64_t i) const {
    if (saved == "lse_delta") return delta[a.delta_at(b, h, i)];
    const int64_t at = a.q.at(b, i, h);
    return shared(dot(&go[at], &o[at], a.dim));
  }

  // The mean of dP under P, which is dO·O.
  S delta_anew(int64_t b, int64_t h, const Weights& w, const SoftmaxRow<S>& softmax) const {
    MultipliedWeight<S> as_multiplied = multiplied;
    SoftmaxMean<S> mean;
    Sum<S> products;
    Repeats<S> repeats;
    for (size_t n = 0; n < w.dp.size(); ++n) {
      if (own_p && !own_lse)
        mean.add(softmax.weights[n], as_multiplied(softmax.weights[n], softmax.sum), w.dp[n]);
      else
        products.add(round_p(w.p[n], repeats.before(round_p, w.p[n])) * w.dp[n]);
    }
    const S exact = own_p && !own_lse ? mean.value(softmax.sum) : products.value();
    return round_o.declared() ? exact + error_of_stored_output(b, h, w) : exact;
  }

  // The change of delta when it comes from an O that was rounded.
  S error_of_stored_output(int64_t b, int64_t h, const Weights& w) const {
    Sum<S> error;
    for (int64_t d = 0; d < a.dim; ++d) {
      S output = S(0);
      for (size_t n = 0; n < w.keys.size(); ++n)
        output += S(plain(w.p[n])) * v[a.kv.at(b, w.keys[n], a.kv_head(h)) + d];
      error.add(go[a.q.at(b, w.query, h) + d] * error_of(round_o, output));
    }
    return error.value();
  }
  static S error_of(const Rounding<S>& round, S number) {
    if constexpr (std::is_same_v<S, Tracked>) return {0, round(Tracked(number.v)).e, 0};
    return round(number) - number;
  }

  void add_to_keys(int64_t b, int64_t h, std::vector<Weights>& group, std::vector<KeySums>& sums) const {
    for_each_key(group, [&](Weights& w, size_t n) {
      if (!is_col[static_cast<size_t>(w.keys[n])]) return;
      KeySums& key = sums[static_cast<size_t>(w.keys[n])];
      const S ds = operand(round_ds(w.ds[n], key.ds.before(round_ds, w.ds[n]))), scaled_ds = ds * S(a.scale);
      const S p = operand(round_p(w.p[n], key.p.before(round_p, w.p[n])));
      const S *q_row = &q[a.q.at(b, w.query, h)], *do_row = &go[a.q.at(b, w.query, h)];
      for (int64_t d = 0; d < a.dim; ++d)
        key.dk[static_cast<size_t>(d)].add(scores.stores_scaled_queries() ? ds * operand(scores.scaled_query(q_row[d]))
                                                                          : scaled_ds * operand(q_row[d]));
      for (int64_t d = 0; d < a.dim; ++d) key.dv[static_cast<size_t>(d)].add(p * operand(do_row[d]));
    });
  }

  void write_dq(int64_t b, int64_t h, std::vector<Weights>& group) {
    for (Weights& w : group)
      if (is_row[static_cast<size_t>(w.query)]) w.dq.resize(static_cast<size_t>(a.dim));
    for_each_key(group, [&](Weights& w, size_t n) {
      if (w.dq.empty()) return;
      const S ds = operand(round_ds(w.ds[n], w.repeats.before(round_ds, w.ds[n]))) * S(a.scale);
      const S* k_row = &k[a.kv.at(b, w.keys[n], a.kv_head(h))];
      for (int64_t d = 0; d < a.dim; ++d) w.dq[static_cast<size_t>(d)].add(ds * operand(k_row[d]));
    });
    for (const Weights& w : group)
      for (size_t d = 0; d < w.dq.size(); ++d)
        dq[a.q.at(b, w.query, h) + static_cast<int64_t>(d)] = as_scaled(w.dq[d].value());
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
  const double scale_spread = a.scale_spread();
  const std::string saved;
  const bool own_p, own_lse, base_2, own_delta, by_products;
  const AttentionScores<S> scores;
  const RefTensor<S>&q, &k, &v, &go, &o, &lse, &delta;
  RefTensor<S>&dq, &dk, &dv;
  const RefTensor<S> dk_before, dv_before;
  RefTensor<S>* dbias;
  const Rounding<S> round_p, round_normalised, round_dp, round_ds, round_o, round_head;
  const MultipliedWeight<S> multiplied;  // with no weights yet
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

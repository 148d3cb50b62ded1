// attention_backward_saved: from dO and the forward's probabilities, the gradients of the scores, of q, k and v.
//
//   dP_ij = dO_i·v_j    dS_ij = w_ij (dP_ij - sum_j w_ij dP_ij)    dq_i = sum_j dS_ij k_j / sqrt(D)
//   dk_j = sum_ih dS_ij q_i / sqrt(D)    dv_j = sum_ih w_ij dO_i
//
// The probabilities are taken as they are given, roundings included.
#pragma once

#include <vector>

#include "reference/attention_causal_head_major.h"

namespace assay::reference {

template <class S>
class AttentionBackwardSaved {
 public:
  AttentionBackwardSaved(ReferenceIo<S>& io, const AttentionShape& shape)
      : a(shape),
        width(io.dim("aw")),
        by_products(io.by_formula("w_dp_minus_w_sum")),
        q(io.in("q")),
        k(io.in("k")),
        v(io.in("v")),
        w(io.in("w")),
        go(io.in("do")),
        ds_out(io.out("ds")),
        dq(io.out("dq")),
        dk(io.out("dk")),
        dv(io.out("dv")),
        round_dp(io.rounding("dp")),
        round_ds(io.rounding("ds")),
        round_head(io.rounding("dk_dv_of_head")) {
    for (const int64_t i : io.rows(a.queries, flops)) is_row[static_cast<size_t>(i)] = true;
    for (const int64_t j : io.rows(a.keys, flops)) is_col[static_cast<size_t>(j)] = true;
  }

  void run() {
    on_all_cores<S>(a.kv_heads, flops, [&](int64_t g) { kv_head(g); });
  }

 private:
  struct KeySums {  // of one key; empty where it is not wanted
    std::vector<Sum<S>> dk, dv;
    Repeats<S> ds;
  };

  std::vector<KeySums> no_sums() const {
    std::vector<KeySums> sums(static_cast<size_t>(a.keys));
    for (size_t j = 0; j < sums.size(); ++j)
      if (is_col[j]) sums[j] = {std::vector<Sum<S>>(dim()), std::vector<Sum<S>>(dim()), {}};
    return sums;
  }

  void kv_head(int64_t g) {
    std::vector<KeySums> group = no_sums();
    for (int64_t h = 0; h < a.heads; ++h) {
      if (a.kv_head(h) != g) continue;
      std::vector<KeySums> own = round_head.declared() ? no_sums() : std::vector<KeySums>();
      for (int64_t i = 0; i < a.queries; ++i) query(h, i, round_head.declared() ? own : group);
      for (size_t j = 0; j < own.size(); ++j)
        for (size_t d = 0; d < own[j].dk.size(); ++d) {
          group[j].dk[d].add(round_head(own[j].dk[d].value()));
          group[j].dv[d].add(round_head(own[j].dv[d].value()));
        }
    }
    for (int64_t j = 0; j < a.keys; ++j)
      for (size_t d = 0; d < group[static_cast<size_t>(j)].dk.size(); ++d) {
        dk[a.kv.at(0, j, g) + static_cast<int64_t>(d)] = as_scaled(group[static_cast<size_t>(j)].dk[d].value());
        dv[a.kv.at(0, j, g) + static_cast<int64_t>(d)] = group[static_cast<size_t>(j)].dv[d].value();
      }
  }

  void query(int64_t h, int64_t i, std::vector<KeySums>& keys) {
    const int64_t row = (h * width + i) * width, at = a.q.at(0, i, h), seen = a.visible(i);
    std::vector<S> ds = score_gradients(h, i);
    if (is_row[static_cast<size_t>(i)]) {
      for (int64_t j = 0; j < a.queries; ++j) ds_out[row + j] = j < seen ? ds[static_cast<size_t>(j)] : S(0);
      std::vector<Sum<S>> sums(dim());
      Repeats<S> repeats;
      for (int64_t j = 0; j < seen; ++j) {
        const S each = ds[static_cast<size_t>(j)];
        const S scaled = operand(round_ds(each, repeats.before(round_ds, each))) * S(a.scale);
        const S* key = &k[a.kv.at(0, j, a.kv_head(h))];
        for (size_t d = 0; d < dim(); ++d) sums[d].add(scaled * operand(key[d]));
      }
      for (size_t d = 0; d < dim(); ++d) dq[at + static_cast<int64_t>(d)] = as_scaled(sums[d].value());
    }
    if (repeats_gradient_before(h, i))
      for (S& each : ds) each = shared(each);
    for (int64_t j = 0; j < seen; ++j) {
      KeySums& key = keys[static_cast<size_t>(j)];
      if (key.dk.empty()) continue;
      const S each = ds[static_cast<size_t>(j)];
      const S scaled = operand(round_ds(each, key.ds.before(round_ds, each))) * S(a.scale),
              weight = operand(w[row + j]);
      for (size_t d = 0; d < dim(); ++d) key.dk[d].add(scaled * operand(q[at + static_cast<int64_t>(d)]));
      for (size_t d = 0; d < dim(); ++d) key.dv[d].add(weight * operand(go[at + static_cast<int64_t>(d)]));
    }
  }

  // dS of one query and the keys that it sees.
  std::vector<S> score_gradients(int64_t h, int64_t i) const {
    const S* weights = &w[(h * width + i) * width];
    std::vector<S> dp, ds;
    Sum<S> sum;
    for (int64_t j = 0; j < a.visible(i); ++j) {
      dp.push_back(round_dp(dot(&go[a.q.at(0, i, h)], &v[a.kv.at(0, j, a.kv_head(h))], a.dim)));
      sum.add(weights[j] * dp.back());
    }
    const S mean = shared(sum.value());
    for (size_t j = 0; j < dp.size(); ++j)
      ds.push_back(by_products ? weights[j] * dp[j] - weights[j] * mean : weights[j] * (dp[j] - mean));
    return ds;
  }

  // Equal rows of dO err alike: their products with a value are rounded to the same numbers, and sums over queries add
  // that up.
  bool repeats_gradient_before(int64_t h, int64_t i) const {
    if (i == 0) return false;
    const S *row = &go[a.q.at(0, i, h)], *before = &go[a.q.at(0, i - 1, h)];
    return std::equal(row, row + a.dim, before, [](S x, S y) { return plain(x) == plain(y); });
  }

  // A gradient with what its scale errs by.
  S as_scaled(S gradient) const { return with_scale_error(gradient, plain(gradient), scale_spread); }

  size_t dim() const { return static_cast<size_t>(a.dim); }

  const AttentionShape& a;
  const double scale_spread = a.scale_spread(), flops = 4 * attention_product_flops(a);
  const int64_t width;
  const bool by_products;
  const RefTensor<S>&q, &k, &v, &w, &go;
  RefTensor<S>&ds_out, &dq, &dk, &dv;
  const Rounding<S> round_dp, round_ds, round_head;
  std::vector<bool> is_row = std::vector<bool>(static_cast<size_t>(a.queries));
  std::vector<bool> is_col = std::vector<bool>(static_cast<size_t>(a.keys));
};

// q, do, dq: (H, T, ad)  k, v, dk, dv: (HK, T, ad)  w, ds: (H, aw, aw)
template <class S>
void attention_backward_saved(ReferenceIo<S>& io, const AttentionShape& a) {
  AttentionBackwardSaved<S>(io, a).run();
}

}  // namespace assay::reference

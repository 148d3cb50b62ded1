// The common part of all attention ops: which keys a query sees, and its scores against them.
//
// S_ij = scale·q_i·k_j + bias_ij for the keys j that query i may see: j < Sk, j <= i + (Sk - Sq) when causal, and not
// removed by the mask. A kernel that replaces the scores of the others by a number (Tracked::mask_value) gives a query
// that sees no key Sk equal scores; the rest it leaves as it is. Query head h reads key/value head h / (H / HK). The
// tensors may be token-major, (B, tokens, heads, D), or head-major, (B, heads, tokens, D).
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "harness/op/reference.h"
#include "reference/exponential.h"

namespace assay::reference {

// The index where the D elements of one token and head begin.
struct HeadLayout {
  bool head_major;
  int64_t tokens, heads, dim;
  int64_t at(int64_t batch, int64_t token, int64_t head) const {
    return head_major ? ((batch * heads + head) * tokens + token) * dim
                      : ((batch * tokens + token) * heads + head) * dim;
  }
};

// The index where the Sk elements of one query's row of a bias or mask begin; extents of 1 are broadcast.
struct BroadcastLayout {
  int64_t batches, heads, queries, keys;
  int64_t at(int64_t batch, int64_t head, int64_t query) const {
    return ((batch % batches * heads + head) * queries + query % queries) * keys;
  }
};

// The numbers of a case. Mutants for the sensitivity audit are made by changing one of them.
struct AttentionShape {
  int64_t batch, queries, keys, heads, kv_heads, dim;
  double scale;                       // of the scores
  bool takes_scale_from_dim = false;  // it is 1/sqrt(D), which a kernel may compute itself
  bool causal;
  int64_t diagonal;                         // a causal query i sees keys up to i + diagonal
  int64_t keys_end;                         // no query sees a key from here on
  double mask_value = Tracked::mask_value;  // the score of a key that is not seen
  bool interleaved_heads = false;           // query head h reads kv head h % HK: the classic mistake
  HeadLayout q, kv;
  bool delta_token_major = false;  // delta is (B, Sq, H), not (B, H, Sq)
  bool adds_to_keys = false;       // dK and dV are added to what is there

  int64_t kv_head(int64_t head) const { return interleaved_heads ? head % kv_heads : head / (heads / kv_heads); }
  int64_t delta_at(int64_t b, int64_t head, int64_t query) const {
    return delta_token_major ? (b * queries + query) * heads + head : (b * heads + head) * queries + query;
  }
  // The relative error of such a scale: as much as a root and a division do, and CUDA's rsqrtf.
  double scale_spread() const {
    return takes_scale_from_dim ? shared(Tracked(1) / sqrt(Tracked(static_cast<double>(dim)))).c / std::fabs(scale) : 0;
  }
  // The keys that causality leaves to a query are 0 … visible(query) - 1.
  int64_t visible(int64_t query) const {
    return causal ? std::clamp<int64_t>(query + diagonal + 1, 0, keys_end) : keys_end;
  }
};

// The factor of the scores, rounded to f32, as a kernel gets it.
inline double softmax_scale(const Case& c) {
  const double scale = c.text("scale") == "auto" ? 1 / std::sqrt(static_cast<double>(c.dim("D"))) : c.real("scale");
  return static_cast<float>(scale);
}

inline AttentionShape attention_shape(const Case& c) {
  const auto is = [&](const char* attr, const char* choice) { return c.find(attr) && c.text(attr) == choice; };
  const int64_t sq = c.dim("Sq"), sk = c.dim("Sk"), heads = c.dim("H"), kv_heads = c.dim("HK"), dim = c.dim("D");
  const bool head_major = c.text("layout") == "head_major";
  return {.batch = c.dim("B"),
          .queries = sq,
          .keys = sk,
          .heads = heads,
          .kv_heads = kv_heads,
          .dim = dim,
          .scale = softmax_scale(c),
          .takes_scale_from_dim = c.text("scale") == "auto",
          .causal = c.text("causal") == "1",
          .diagonal = sk - sq,
          .keys_end = sk,
          .q = {head_major, sq, heads, dim},
          .kv = {head_major, sk, kv_heads, dim},
          .delta_token_major = is("delta_layout", "token_major"),
          .adds_to_keys = is("dkv", "accumulate")};
}

// `a`, of which `scaled` is what the scale multiplies: its error is in all of them, in step.
template <class S>
S with_scale_error(S a, double scaled, double spread) {
  if constexpr (std::is_same_v<S, Tracked>)
    if (spread != 0 && std::isfinite(scaled)) return {a.v, a.e, a.c + spread * std::fabs(scaled)};
  return a;
}

// Additions and multiplications of one product of every visible pair's D elements.
inline double attention_product_flops(const AttentionShape& a) {
  double pairs = 0;
  for (int64_t i = 0; i < a.queries; ++i) pairs += static_cast<double>(a.visible(i));
  return 2 * pairs * static_cast<double>(a.batch * a.heads * a.dim);
}

// Sum of a[i]·b[i], products of a matrix product. In eight strands, which a compiler turns into vector instructions;
// Tracked has the same value.
template <class S>
S dot(const S* a, const S* b, int64_t count) {
  if constexpr (std::is_same_v<S, float>) {
    if (Tracked::operands.unit != 0) {
      float sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += operand(a[i]) * operand(b[i]);
      return sum;
    }
  }
  S strand[8] = {};
  for (int64_t i = 0; i + 8 <= count; i += 8)
    for (int64_t s = 0; s < 8; ++s) strand[s] += a[i + s] * b[i + s];
  for (int64_t i = count / 8 * 8; i < count; ++i) strand[i % 8] += a[i] * b[i];
  return ((strand[0] + strand[4]) + (strand[2] + strand[6])) + ((strand[1] + strand[5]) + (strand[3] + strand[7]));
}

template <>
inline Tracked dot(const Tracked* a, const Tracked* b, int64_t count) {
  double strand[8] = {};
  Sum<Tracked> sum;
  for (int64_t i = 0; i < count; ++i) {
    const Tracked term = operand(a[i]) * operand(b[i]);
    sum.add(term);
    strand[i % 8] += term.v;
  }
  const double value =
      ((strand[0] + strand[4]) + (strand[2] + strand[6])) + ((strand[1] + strand[5]) + (strand[3] + strand[7]));
  return {value, sum.value().e, sum.value().c};
}

// The scores of one query: the keys it sees, and S_ij for each of them.
template <class S>
struct ScoreRow {
  int64_t query;
  std::vector<int64_t> keys;
  std::vector<S> scores;
};

// Queries are taken so many at a time, so that a key that is read serves all of them.
inline constexpr int64_t kQueryGroup = 8;

// Calls f(row, n) for every key of all rows, key after key: n is the key's place among those of its row.
template <class Rows, class F>
void for_each_key(Rows& rows, F f) {
  int64_t end = 0;
  for (const auto& row : rows)
    if (!row.keys.empty()) end = std::max(end, row.keys.back() + 1);
  std::vector<size_t> next(rows.size());
  for (int64_t j = 0; j < end; ++j)
    for (size_t r = 0; r < rows.size(); ++r)
      if (next[r] < rows[r].keys.size() && rows[r].keys[next[r]] == j) f(rows[r], next[r]++);
}

template <class S>
class AttentionScores {
 public:
  // biased: the op has tensors `bias` and `mask`, with the extents that the case's attributes name.
  AttentionScores(const ReferenceIo<S>& io, const AttentionShape& shape, bool biased)
      : a_(shape),
        q_(io.in("q")),
        k_(io.in("k")),
        round_q_(io.rounding("q_scaled")),
        round_qk_(io.rounding("qk")),
        round_scores_(io.rounding("scores")) {
    if (!biased) return;
    bias_ = &io.in("bias");
    bias_at_ = layout_of(*bias_);
    if (!io.has("mask")) return;
    mask_ = &io.in("mask");
    mask_at_ = layout_of(*mask_);
  }

  const BroadcastLayout& bias_layout() const { return bias_at_; }
  // The head of a bias or mask of `extent` heads (1, HK or H) that query head h reads.
  int64_t broadcast_head(int64_t head, int64_t extent) const { return head / (a_.heads / extent); }

  bool sees(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (j >= a_.visible(i)) return false;
    return !mask_ || plain((*mask_)[mask_at_.at(b, broadcast_head(h, mask_at_.heads), i) + j]) != 0;
  }

  S score(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const S s = scaled_product(&q_[a_.q.at(b, i, h)], &k_[a_.kv.at(b, j, a_.kv_head(h))]);
    return round_scores_(bias_ ? s + (*bias_)[bias_at_.at(b, broadcast_head(h, bias_at_.heads), i) + j] : s);
  }

  // An element of q times the scale, as kernels have it that store that.
  S scaled_query(S element) const { return round_q_(element * S(a_.scale)); }
  bool stores_scaled_queries() const { return round_q_.declared(); }

  // The rows of the queries first … end - 1 with the keys that they see, as far as `wanted(query, key)`.
  template <class Wanted>
  std::vector<ScoreRow<S>> rows(int64_t b, int64_t h, const int64_t* first, const int64_t* end, Wanted wanted) const {
    std::vector<ScoreRow<S>> rows;
    for (const int64_t* i = first; i != end; ++i) rows.push_back({*i, {}, {}});
    for (int64_t j = 0; j < a_.keys_end; ++j)
      for (ScoreRow<S>& row : rows) {
        if (!sees(b, h, row.query, j) || !wanted(row.query, j)) continue;
        row.keys.push_back(j);
        row.scores.push_back(score(b, h, row.query, j));
      }
    if (std::isfinite(a_.mask_value))
      for (ScoreRow<S>& row : rows)
        if (row.keys.empty()) hide_all_keys(row);
    return rows;
  }

 private:
  S scaled_product(const S* q_row, const S* k_row) const {
    if (!stores_scaled_queries()) return round_qk_(product(q_row, k_row)) * S(a_.scale);
    std::vector<S> scaled;
    for (int64_t d = 0; d < a_.dim; ++d) scaled.push_back(scaled_query(q_row[d]));
    return round_qk_(product(scaled.data(), k_row));
  }

  // A query is rounded once for all of its keys, so what that does to their scores errs in step.
  S product(const S* query, const S* k_row) const {
    S result = dot(query, k_row, a_.dim);
    if constexpr (std::is_same_v<S, Tracked>) {
      if (!stores_scaled_queries() && Tracked::operands.unit == 0) return result;
      double in_step = 0;
      for (int64_t d = 0; d < a_.dim; ++d) in_step += operand(query[d]).e * k_row[d].v * k_row[d].v;
      in_step = std::min(in_step, result.e);
      result = {result.v, result.e - in_step, result.c + std::sqrt(in_step)};
    }
    return result;
  }

  void hide_all_keys(ScoreRow<S>& row) const {
    row.scores.assign(static_cast<size_t>(a_.keys_end), S(a_.mask_value));
    for (int64_t j = 0; j < a_.keys_end; ++j) row.keys.push_back(j);
  }

  static BroadcastLayout layout_of(const RefTensor<S>& tensor) {
    return {tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.shape[3]};
  }

  const AttentionShape& a_;
  const RefTensor<S>&q_, &k_;
  const Rounding<S> round_q_, round_qk_, round_scores_;
  const RefTensor<S>* bias_ = nullptr;
  const RefTensor<S>* mask_ = nullptr;
  BroadcastLayout bias_at_ = {}, mask_at_ = {};
};

// P_j = weights_j / sum, with weights_j = exp(S_j - maximum): exactly 1 for the maximum itself, whatever its error,
// which is in the differences of all others to it, its equals too: two sums of one value may round differently.
//
// In base 2 they are powers of scores times log2(e) less the maximum times log2(e), which is rounded: so the weight of
// the maximum itself may err, and where tiles have maxima of their own, one tile's weights beside those of another.
//
// scale_spread: what the scale of the scores errs by (AttentionShape), where the scores do not say that themselves.
template <class S>
struct SoftmaxRow {
  S maximum = S(-std::numeric_limits<double>::infinity());
  std::vector<S> weights;
  S sum = S(0);
};

template <class S>
SoftmaxRow<S> softmax_row(const std::vector<S>& scores, bool base_2 = false, double scale_spread = 0) {
  SoftmaxRow<S> row;
  for (const S& score : scores) row.maximum = larger(row.maximum, score);
  const S maximum = shared(row.maximum);
  const Exponential<S> weight(maximum, base_2);
  Sum<S> sum;
  bool found = false;
  for (const S& score : scores) {
    const bool is_one = score == maximum && !weight.is_in_base_2() && (!found || std::isinf(plain(score)));
    found = found || is_one;
    const S each = is_one ? S(1) : weight(score);
    row.weights.push_back(with_scale_error(each, plain(each) * (plain(score) - plain(maximum)), scale_spread));
    sum.add(row.weights.back());
  }
  row.sum = sum.value();
  row.maximum = with_scale_error(row.maximum, plain(row.maximum), scale_spread);
  return row;
}

// A weight as it is multiplied: rounded as it is ("p"), or divided by the sum of its row before ("p_normalised").
// Rounding it for a product adds an error there and nowhere else, so Tracked's has that one alone.
template <class S>
class MultipliedWeight {
 public:
  explicit MultipliedWeight(const ReferenceIo<S>& io)
      : round_p_(io.rounding("p")), round_normalised_(io.rounding("p_normalised")) {}

  // The weight, in a row whose weights have this sum.
  S operator()(S weight, S sum) {
    if constexpr (std::is_same_v<S, Tracked>) weight = Tracked(weight.v), sum = Tracked(sum.v);
    const int64_t repeats = std::max(repeats_.before(round_p_, weight), repeats_.before(round_normalised_, weight));
    if (round_normalised_.declared()) weight = round_normalised_(weight / sum, repeats) * sum;
    return operand(round_p_(weight, repeats));
  }

 private:
  Rounding<S> round_p_, round_normalised_;
  Repeats<S> repeats_;
};

// The mean of x under the weights w_j / sum w, of which a kernel knows w and their sum.
//
// An error of one weight is in the sum too, so to first order it moves the mean by that error times the distance of x_j
// from the mean, and by nothing where one weight is all there is. Rounding a weight for the product alone is not.
template <class S>
class SoftmaxMean {
 public:
  // `multiplied`: the weight as a kernel has it in the product (MultipliedWeight).
  void add(S, S multiplied, S x) { products_.add(multiplied * operand(x)); }
  S value(S sum) const { return products_.value() / sum; }

 private:
  Sum<S> products_;
};

template <>
class SoftmaxMean<Tracked> {
 public:
  void add(Tracked weight, Tracked multiplied, Tracked x) {
    const Tracked product = multiplied * operand(x);
    products_.add(product);
    if (product.v != 0 && std::fabs(product.v) < Tracked::smallest * kLeastToMost) tiny_.push_back(product.v);
    variance_.add(weight.e, x.v);
    common_.add(weight.c, x.v);
    ++terms_;
  }
  Tracked value(Tracked sum) const {
    const Tracked products = products_.value();
    const double mean = products.v / sum.v, share = 1 / sum.v;
    const double sum_rounding = Tracked::unit * std::sqrt(static_cast<double>(terms_) / 3);  // of adding up the weights
    Tracked result = products / Tracked(sum.v);
    result.e += variance_.around(mean) * share * share;
    // By Cauchy and Schwarz, sum c |x - mean| is at most the root of sum c times sum c (x - mean)².
    result.c += std::sqrt(common_.weight * common_.around(mean)) * share + sum_rounding * std::fabs(mean);
    const double lost = lost_by_tiny(sum.v);
    result.e += static_cast<double>(tiny_.size()) * Tracked::smallest * Tracked::smallest / 3;
    result.c += std::fabs(lost) / 2;
    return {result.v, result.e, result.c};
  }

 private:
  // Kernels that divide the weights before they multiply may have subnormal products. Each is rounded in steps of the
  // least number, those of nearly one size to the same side: what that comes to if nothing else errs.
  double lost_by_tiny(double sum) const {
    double lost = 0;
    for (const double product : tiny_)
      lost += rounded_to(product / sum, Tracked::unit, Tracked::smallest) - product / sum;
    return lost;
  }

  struct Moments {  // sum a, sum a x and sum a x², for sum a (x - mean)² once the mean is known
    double weight = 0, first = 0, second = 0;
    void add(double a, double x) {
      weight += a;
      first += a * x;
      second += a * x * x;
    }
    double around(double mean) const { return std::max(0.0, second - 2 * mean * first + mean * mean * weight); }
  };

  // From the least number to the largest product that may be subnormal when it is divided by a sum of 2^24 weights.
  static constexpr double kLeastToMost = 0x1p48;

  Sum<Tracked> products_;
  Moments variance_, common_;
  int64_t terms_ = 0;
  std::vector<double> tiny_;  // of the products
};

}  // namespace assay::reference

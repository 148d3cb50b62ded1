// Attention and its gradients as production kernels compute them: flash attention's tiles, eager code's stored
// matrices, a softmax made anew beside the one that is given.
#include "harness/judge/test_honest_formula.h"
#include "reference/attention.h"

namespace assay::honest_attention {
namespace {

struct Method {
  Order order = Order::serial;  // of the products of a head
  bool scales_queries = false, stores_queries = false, stores_qk = false, stores_scores = false;
  bool stores_p = false, stores_normalised = false;
  bool online = false;  // tiles of 4 keys, rescaled
  bool base_2 = false, tf32 = false;
  bool folds_scale = false;  // base 2 with one factor, scale·log2(e), for products as they are
  bool lse_by_base_2 = false;
  // The next ones are of a backward.
  bool own_p = false, own_lse = false, own_delta = false, products = false;
  bool stores_dp = false, stores_ds = false, stores_heads = false;
};

// The part of both directions: the scores of one query with the keys that it sees.
struct Scores {
  const Case& c;
  const Tensors& tensors;
  const Method& method;
  const reference::AttentionShape a = reference::attention_shape(c);

  float in_product(float x) const { return method.tf32 ? static_cast<float>(rounded_to(x, 0x1p-11, 0)) : x; }
  float store(bool is_stored, float x) const { return is_stored ? stored(c.dtype, x) : x; }

  float dot(const char* left, int64_t left_at, const char* right, int64_t right_at, float factor = 1) const {
    const Tensor &l = tensors.get(left), &r = tensors.get(right);
    return sum_of(a.dim, method.order, [&](int64_t d) {
      const float x = factor == 1 ? f32(l, left_at + d) : store(method.stores_queries, f32(l, left_at + d) * factor);
      return in_product(x) * in_product(f32(r, right_at + d));
    });
  }

  std::vector<float> of(int64_t b, int64_t h, int64_t i) const {
    std::vector<float> scores;
    const auto scale = static_cast<float>(a.scale);
    for (int64_t j = 0; j < a.visible(i); ++j) {
      const int64_t q_at = a.q.at(b, i, h), k_at = a.kv.at(b, j, a.kv_head(h));
      const float s = method.scales_queries
                          ? dot("q", q_at, "k", k_at, scale)
                          : store(method.stores_qk, dot("q", q_at, "k", k_at)) * (method.folds_scale ? 1 : scale);
      scores.push_back(store(method.stores_scores, s));
    }
    return scores;
  }

  float weight(float score, float largest) const {
    if (method.folds_scale) return std::exp2(std::fma(score, folded(), -largest * folded()));
    return method.base_2 ? std::exp2(score * kLog2OfE - largest * kLog2OfE) : std::exp(score - largest);
  }

  float folded() const { return static_cast<float>(a.scale) * kLog2OfE; }

  float lse(float largest, float sum) const {
    const float log2_of_e = method.folds_scale ? folded() : kLog2OfE;
    if (method.lse_by_base_2) return (largest * log2_of_e + std::log2(sum)) / kLog2OfE;
    return (method.folds_scale ? largest * static_cast<float>(a.scale) : largest) + std::log(sum);
  }
};

struct Softmax {
  float largest = -INFINITY, sum = 0;
};

Softmax softmax_of(const std::vector<float>& s, const Scores& scores) {
  Softmax all;
  for (const float x : s) all.largest = larger(all.largest, x);
  for (const float x : s) all.sum += scores.weight(x, all.largest);
  return all;
}

// Running maximum, sum and output over tiles of four keys. Returns maximum and sum.
Softmax online(const Scores& scores, const std::vector<float>& s, int64_t b, int64_t h, std::vector<float>& o) {
  Softmax all;
  const auto keys = static_cast<int64_t>(s.size());
  for (int64_t first = 0; first < keys; first += 4) {
    float next = all.largest;
    for (int64_t j = first; j < std::min(keys, first + 4); ++j) next = larger(next, s[static_cast<size_t>(j)]);
    const float scale = first == 0 ? 0 : scores.weight(all.largest, next);
    all = {next, all.sum * scale};
    for (float& element : o) element *= scale;
    for (int64_t j = first; j < std::min(keys, first + 4); ++j) {
      const float weight = scores.weight(s[static_cast<size_t>(j)], next);
      all.sum += weight;
      for (int64_t d = 0; d < scores.a.dim; ++d)
        o[static_cast<size_t>(d)] += scores.store(scores.method.stores_p, weight) *
                                     f32(scores.tensors.get("v"), scores.a.kv.at(b, j, scores.a.kv_head(h)) + d);
    }
  }
  for (float& element : o) element /= all.sum;
  return all;
}

void forward(const Case& c, Tensors& tensors, const Method& method, bool broken) {
  const Scores scores{c, tensors, method};
  const auto& a = scores.a;
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t i = 0; i < a.queries; ++i) {
        std::vector<float> s = scores.of(b, h, i), o(static_cast<size_t>(a.dim));
        if (broken && !s.empty()) s.pop_back();  // the last key is dropped
        Softmax softmax = softmax_of(s, scores);
        if (method.online) {
          softmax = online(scores, s, b, h, o);
        } else {
          for (size_t j = 0; j < s.size(); ++j) {
            const float weight = scores.weight(s[j], softmax.largest);
            const float p = scores.store(method.stores_normalised, weight / softmax.sum);
            const float left = method.stores_normalised ? p : scores.store(method.stores_p, weight);
            const int64_t v_at = a.kv.at(b, static_cast<int64_t>(j), a.kv_head(h));
            for (int64_t d = 0; d < a.dim; ++d)
              o[static_cast<size_t>(d)] += scores.in_product(left) * scores.in_product(f32(tensors.get("v"), v_at + d));
          }
          if (!method.stores_normalised)
            for (float& element : o) element *= 1 / softmax.sum;
        }
        for (int64_t d = 0; d < a.dim; ++d)
          tensors.get("o").set(a.q.at(b, i, h) + d, s.empty() ? 0 : o[static_cast<size_t>(d)]);
        tensors.get("lse").set((b * a.heads + h) * a.queries + i, scores.lse(softmax.largest, softmax.sum));
      }
}

struct Gradients {  // f32 sums
  std::vector<float> dq, dk, dv;
};

// P and dS of one query, and their products.
void backward_row(const Scores& scores, int64_t b, int64_t h, int64_t i, Gradients& sums, bool broken) {
  const auto& a = scores.a;
  const Method& method = scores.method;
  const Tensors& in = scores.tensors;
  const int64_t at = a.q.at(b, i, h), by_query = (b * a.heads + h) * a.queries + i;
  const std::string& saved = scores.c.text("saved");
  const std::vector<float> s = scores.of(b, h, i);
  const Softmax softmax = softmax_of(s, scores);
  std::vector<float> p, dp;
  for (size_t j = 0; j < s.size(); ++j) {
    const float own = scores.weight(s[j], softmax.largest) / softmax.sum;
    const float from_lse =
        scores.weight(s[j], method.own_lse ? scores.lse(softmax.largest, softmax.sum) : f32(in.get("lse"), by_query));
    const float given = method.own_lse || (saved != "none" && !method.own_p) ? from_lse : own;
    p.push_back(scores.store(method.stores_normalised, given));
    dp.push_back(
        scores.store(method.stores_dp, scores.dot("do", at, "v", a.kv.at(b, static_cast<int64_t>(j), a.kv_head(h)))));
  }
  float delta = 0;
  if (saved == "none" || method.own_delta)
    for (size_t j = 0; j < p.size(); ++j) delta += p[j] * dp[j];
  else
    delta = saved == "lse_o" ? scores.dot("do", at, "o", at) : f32(in.get("delta"), by_query);
  if (broken) delta = 0;
  for (size_t j = 0; j < p.size(); ++j) {
    const float ds =
        scores.store(method.stores_ds, method.products ? p[j] * dp[j] - p[j] * delta : p[j] * (dp[j] - delta));
    const int64_t key = a.kv.at(b, static_cast<int64_t>(j), a.kv_head(h));
    const auto scale = static_cast<float>(a.scale);
    for (int64_t d = 0; d < a.dim; ++d) {
      const auto k_at = static_cast<size_t>(key + d), q_at = static_cast<size_t>(at + d);
      sums.dq[q_at] += ds * f32(in.get("k"), key + d) * scale;
      sums.dk[k_at] += ds * f32(in.get("q"), at + d) * scale;
      sums.dv[k_at] += scores.store(method.stores_p, p[j]) * f32(in.get("do"), at + d);
    }
  }
}

void backward(const Case& c, Tensors& tensors, const Method& method, bool broken) {
  const Scores scores{c, tensors, method};
  const auto& a = scores.a;
  const auto size = [&](const char* name) { return static_cast<size_t>(tensors.get(name).count()); };
  Gradients all{std::vector<float>(size("dq")), std::vector<float>(size("dk")), std::vector<float>(size("dv"))};
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h) {
      Gradients head{std::vector<float>(size("dq")), std::vector<float>(size("dk")), std::vector<float>(size("dv"))};
      for (int64_t i = 0; i < a.queries; ++i) backward_row(scores, b, h, i, head, broken);
      for (size_t n = 0; n < head.dq.size(); ++n) all.dq[n] += head.dq[n];
      for (size_t n = 0; n < head.dk.size(); ++n) all.dk[n] += scores.store(method.stores_heads, head.dk[n]);
      for (size_t n = 0; n < head.dv.size(); ++n) all.dv[n] += scores.store(method.stores_heads, head.dv[n]);
    }
  for (size_t n = 0; n < all.dq.size(); ++n) tensors.get("dq").set(static_cast<int64_t>(n), all.dq[n]);
  for (size_t n = 0; n < all.dk.size(); ++n) tensors.get("dk").set(static_cast<int64_t>(n), all.dk[n]);
  for (size_t n = 0; n < all.dv.size(); ++n) tensors.get("dv").set(static_cast<int64_t>(n), all.dv[n]);
}

bool several_keys(const Case& c) { return c.dim("Sk") > 1 && c.dim("Sq") > 0; }
bool is_f32(const Case& c) { return several_keys(c) && c.dtype == DType::f32; }
bool scales_up(const Case& c) { return several_keys(c) && reference::softmax_scale(c) > 0; }
bool is_given(const Case& c) { return several_keys(c) && c.text("saved") != "none"; }

using Takes = bool (*)(const Case&);
HonestFormula forward_formula(std::string name, Method method, std::vector<std::string> rounds = {},
                              Takes takes = several_keys) {
  return {.name = std::move(name),
          .op = "attention_forward",
          .rounds = std::move(rounds),
          .kernel = [=](const Case& c, Tensors& t, bool broken) { forward(c, t, method, broken); },
          .takes = takes,
          .accumulate = method.tf32 ? Accumulate::tf32 : Accumulate::f32};
}
HonestFormula backward_formula(std::string name, Method method, std::vector<std::string> rounds = {},
                               Takes takes = several_keys) {
  return {.name = std::move(name),
          .op = "attention_backward",
          .rounds = std::move(rounds),
          .kernel = [=](const Case& c, Tensors& t, bool broken) { backward(c, t, method, broken); },
          .takes = takes};
}

class HonestAttention : public testing::TestWithParam<HonestFormula> {};
TEST_P(HonestAttention, PassesAsDeclared) { expect_honest(GetParam()); }
TEST_P(HonestAttention, WithABugFails) { expect_bug_is_seen(GetParam()); }
TEST_P(HonestAttention, UndeclaredIsToldWhatToDeclare) { expect_hint(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Forward, HonestAttention,
    testing::Values(
        forward_formula("plain", {}), forward_formula("warp_products", {.order = Order::lanes}),
        forward_formula("online", {.online = true}), forward_formula("base_2", {.base_2 = true}),
        forward_formula("flash", {.order = Order::tiles, .stores_p = true, .online = true, .base_2 = true}, {"p"}),
        forward_formula("stored_p", {.stores_p = true}, {"p"}),
        forward_formula("scaled_queries", {.scales_queries = true}),
        forward_formula("stored_queries", {.scales_queries = true, .stores_queries = true, .stores_p = true},
                        {"q_scaled", "p"}),
        forward_formula("stored_scores", {.stores_scores = true}, {"scores"}),
        forward_formula("normalised", {.stores_normalised = true}, {"p_normalised"}),
        forward_formula("eager", {.stores_qk = true, .stores_scores = true, .stores_normalised = true},
                        {"qk", "scores", "p_normalised"}),
        forward_formula("folded_scale", {.base_2 = true, .folds_scale = true}, {}, scales_up),
        forward_formula("lse_by_base_2", {.base_2 = true, .lse_by_base_2 = true}),
        forward_formula("folded_online", {.online = true, .folds_scale = true, .lse_by_base_2 = true}, {}, scales_up),
        forward_formula("tf32", {.order = Order::tiles, .tf32 = true}, {}, is_f32)),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Backward, HonestAttention,
    testing::Values(
        backward_formula("gradients", {}),
        backward_formula("gradients_base_2", {.order = Order::lanes, .base_2 = true}),
        backward_formula("stored_ds", {.stores_ds = true}, {"ds"}),
        backward_formula("flash_gradients",
                         {.order = Order::tiles, .stores_p = true, .base_2 = true, .stores_ds = true}, {"p", "ds"}),
        backward_formula("own_softmax", {.own_p = true}, {}, is_given),
        backward_formula("own_delta", {.own_delta = true}, {}, is_given),
        backward_formula("own_lse", {.own_lse = true}),
        backward_formula("own_lse_given_delta", {.own_lse = true}, {}, is_given),
        backward_formula("own_lse_and_delta", {.own_lse = true, .own_delta = true}),
        backward_formula("own_lse_by_base_2", {.base_2 = true, .lse_by_base_2 = true, .own_lse = true}),
        backward_formula("all_made_anew", {.own_p = true, .own_delta = true}, {}, is_given),
        backward_formula("products", {.products = true}),
        backward_formula("stored_heads", {.stores_p = true, .stores_ds = true, .stores_heads = true},
                         {"p", "ds", "dk_dv_of_head"}),
        backward_formula(
            "eager_gradients",
            {.stores_qk = true, .stores_scores = true, .stores_normalised = true, .stores_dp = true, .stores_ds = true},
            {"qk", "scores", "p_normalised", "dp", "ds"})),
    name_of);

// One score far above the others: the maximum or the lse is rounded to what its size has, once for a row or a tile.
TEST(HonestAttentionFarOut, PassesInAFormOfItsOwn) {
  const auto passes = [](const HonestFormula& formula, const char* line) {
    const Findings findings = findings_of(formula, *parse_case(line), false);
    EXPECT_TRUE(findings.empty()) << formula.name << ": " << findings[0].detail;
  };
  passes(forward_formula("folded_online", {.online = true, .folds_scale = true, .lse_by_base_2 = true}),
         "attention_forward/any f32 B=3 Sq=32 Sk=10 H=2 HK=1 D=1 causal=0 scale=1 layout=token_major fill=one_huge "
         "seed=4066148009473903136 schedule=0");
  passes(backward_formula("own_lse", {.own_lse = true}),
         "attention_backward/any f32 B=32 Sq=1 Sk=4 H=1 HK=1 D=1 causal=1 scale=-0.3 layout=head_major saved=none "
         "grads=f32 fill=one_huge seed=4976004163319042373 schedule=0");
  passes(backward_formula("own_lse_by_base_2", {.base_2 = true, .lse_by_base_2 = true, .own_lse = true}),
         "attention_backward/any f16 B=13 Sq=16 Sk=3 H=1 HK=1 D=1 causal=1 scale=0.125 layout=token_major saved=none "
         "grads=f32 fill=one_huge seed=6944503183591317862 schedule=0");
}

}  // namespace
}  // namespace assay::honest_attention

// The common part of the contracts of all attention ops: dims, attributes, data, roundings, cost, mutants.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "harness/op/contract.h"
#include "kernels/data/exponents.h"
#include "kernels/data/mistakes.h"
#include "kernels/data/tensors.h"
#include "reference/attention_forward.h"

namespace assay::ops::attention {

// No element is larger than this over the root of D, so that no product of two heads is beyond its square: scores with
// which f32 exponentials have a meaning, and gradients that f16 holds.
inline constexpr double kLargest = 12;

inline std::vector<DimSpec> dims(int64_t dim_max) {
  return {{.name = "B",
           .meaning = "batch",
           .max = 1 << 20,
           .usual_max = 4,
           .aliases = {"batch", "batch_size"},
           .repeats = true},
          {.name = "Sq",
           .meaning = "queries of a sequence",
           .max = 1 << 24,
           .aliases = {"T", "N", "M", "S", "n_q", "q_len", "len_q", "seq_len_q", "seq_len"}},
          {.name = "Sk",
           .meaning = "keys of a sequence",
           .max = 1 << 24,
           .aliases = {"n_k", "k_len", "kv_len", "len_k", "seq_len_k", "seqlen_kv"}},
          {.name = "H",
           .meaning = "query heads",
           .max = 1 << 16,
           .boundary = {1, 2, 4, 6, 8, 12, 16, 32},
           .usual_max = 32,
           .aliases = {"NH", "h_q", "heads", "n_head", "n_heads", "num_heads", "num_q_heads"},
           .repeats = true},
          {.name = "HK",
           .meaning = "key and value heads",
           .max = 1 << 16,
           .boundary = {1, 2, 3, 4, 8},
           .usual_max = 8,
           .aliases = {"h_k", "h_kv", "kv_heads", "n_kv_head", "n_kv_heads", "num_kv_heads", "num_heads_k"},
           .repeats = true},
          {.name = "D",
           .meaning = "elements of a head",
           .max = dim_max,
           .boundary = {1, 2, 8, 16, 32, 40, 64, 72, 80, 96, 100, 128, 129, 192, 256},
           .usual_max = 288,
           .aliases = {"HS", "d_head", "head_dim", "head_size"}}};
}

inline AttrSpec causal() {
  return {.name = "causal",
          .meaning = "whether query i sees keys up to i + Sk - Sq only",
          .choices = {"0", "1"},
          .aliases = {"is_causal", "use_causal", "causal_mask"}};
}
inline AttrSpec scale() {
  return {.name = "scale",
          .meaning = "factor of the scores; auto is 1/sqrt(D)",
          .choices = {"auto", "1", "0.125", "-0.3"},
          .aliases = {"sm_scale", "softmax_scale", "qk_scale", "inv_sqrt_d"},
          .number = "scale == \"auto\" ? 1 / std::sqrt(static_cast<double>(D)) : std::stod(scale)"};
}
inline AttrSpec layout() {
  return {.name = "layout",
          .meaning = "order of tokens and heads in memory: (B, tokens, heads, D) or (B, heads, tokens, D)",
          .choices = {"token_major", "head_major"}};
}

inline std::optional<Error> heads_do_not_divide(const Case& c) {
  const int64_t heads = c.dim("H"), kv_heads = c.dim("HK");
  if (heads % kv_heads == 0) return std::nullopt;
  return Error{fmt::format("H={} is no multiple of HK={}", heads, kv_heads),
               fmt::format("every key head serves H/HK query heads: take HK={} or H={}", heads,
                           (heads / kv_heads + 1) * kv_heads)};
}

inline void make_heads_divide(Case& c) {
  const int64_t kv_heads = c.dim("HK");
  c.set("H", std::to_string(std::max<int64_t>(1, c.dim("H") / kv_heads) * kv_heads));
}

inline ShapeText heads_shape(const Case& c, const char* tokens, const char* heads) {
  if (c.text("layout") == "head_major") return {"B", heads, tokens, "D"};
  return {"B", tokens, heads, "D"};
}
inline ShapeText query_shape(const Case& c) { return heads_shape(c, "Sq", "H"); }
inline ShapeText key_shape(const Case& c) { return heads_shape(c, "Sk", "HK"); }

inline void make_values(const Case& c, Rng& rng, Tensor& tensor) {
  apply_fill(data::not_exponents(c), rng, kLargest / std::sqrt(static_cast<double>(c.dim("D"))), tensor);
}

inline void make_partner(const Case& c, Rng& rng, Tensor& tensor) { make_values(data::not_subnormal(c), rng, tensor); }

// Queries are scaled down by a power of two where scores would be so far apart that one key takes it all: then every
// gradient is what cancelling leaves of larger numbers. One huge element is no reason: its fill is for just that.
inline void make_queries(const Case& c, Rng& rng, Tensor& q) {
  constexpr double kSpread = 2;  // of the scores, in standard deviations
  if (data::asks_for_exponents(c)) return data::make_exponent_queries(c, rng, c.dim("D"), c.dim("D"), q);
  make_values(c, rng, q);
  double squares = 0, finite = 0;
  for (int64_t i = 0; i < q.count(); ++i) {
    if (!std::isfinite(q.at(i))) continue;
    squares += q.at(i) * q.at(i);
    ++finite;
  }
  if (c.fill == "one_huge") squares = std::min(squares, finite);
  const double score =
      std::fabs(reference::softmax_scale(c)) * std::sqrt(static_cast<double>(c.dim("D"))) * squares / finite;
  if (!(score > kSpread)) return;
  const double factor = std::exp2(std::floor(std::log2(kSpread / score)));
  for (int64_t i = 0; i < q.count(); ++i)
    if (std::isfinite(q.at(i))) q.set(i, q.at(i) * factor);
}

inline void make_keys(const Case& c, Rng& rng, Tensor& k) {
  if (!data::asks_for_exponents(c)) return make_partner(c, rng, k);
  const int64_t heads_of_token = c.text("layout") == "head_major" ? 1 : c.dim("HK"), dim = c.dim("D");
  const double scale = reference::softmax_scale(c);
  data::make_exponent_keys(c, rng, {c.dim("Sk"), heads_of_token, dim, dim}, scale, k);
}

inline const std::vector<std::string> kNamesOfOutput = {"out", "output", "y", "attn_out"};
inline const std::vector<std::string> kNamesOfLse = {"l", "softmax_lse", "logsumexp"};

inline TensorSpec by_query(std::string name, Role role, MakeTensor make = nullptr,
                           std::vector<std::string> aliases = {}) {
  return {.name = std::move(name),
          .role = role,
          .make = std::move(make),
          .shape_by = query_shape,
          .aliases = std::move(aliases)};
}
inline TensorSpec by_key(std::string name, MakeTensor make, std::vector<std::string> aliases) {
  return {.name = std::move(name), .make = std::move(make), .shape_by = key_shape, .aliases = std::move(aliases)};
}
inline TensorSpec q() { return by_query("q", Role::input, make_queries, {"query", "queries"}); }
inline TensorSpec k() { return by_key("k", make_keys, {"key", "keys", "k_cache"}); }
inline TensorSpec v() { return by_key("v", make_partner, {"value", "values", "v_cache"}); }

// The results that attention kernels round to the case's dtype on their way, and a backward's steps in another order.
inline std::vector<NamedRounding> roundings_of_scores() {
  return {{"q_scaled", "q times the scale, stored before it meets k"},
          {"qk", "q.k of every pair, stored before it is scaled"},
          {"scores", "the scaled scores, with their bias, stored before the softmax"},
          {"p",
           "exp(score - maximum) as it enters the product with v, before the division by its sum; a backward's P as "
           "it enters dV"}};
}

inline std::vector<NamedRounding> forward_roundings() {
  std::vector<NamedRounding> roundings = roundings_of_scores();
  roundings.push_back({"p_normalised", "the probabilities, divided by their sum before they enter the product with v"});
  return roundings;
}

inline std::vector<Formula> forward_formulas() {
  return {{"base_2", "P as a power of 2, of scores and a tile's maximum times log2(e), each rounded"}};
}

inline std::vector<NamedRounding> backward_roundings() {
  std::vector<NamedRounding> roundings = roundings_of_scores();
  roundings.push_back({"p_normalised", "the probabilities, stored once for dV and dS"});
  roundings.push_back({"dp", "dO.v of every pair, stored before delta is taken from it"});
  roundings.push_back({"ds", "the gradient of the scores as it enters dQ and dK"});
  roundings.push_back({"o", "the output made anew, stored before delta = dO.o"});
  roundings.push_back({"dk_dv_of_head", "dK and dV of one query head, stored before those of its group are added up"});
  return roundings;
}

inline std::vector<Formula> backward_formulas() {
  const auto is_given = [](const Case& c) { return c.text("saved") != "none"; };
  return {{"own_p", "P from the maximum and sum of scores made anew, not from the lse that is given", is_given},
          {"own_delta", "delta as the sum of P dP, not from what is given", is_given},
          {"own_p_and_delta", "both of them made anew", is_given},
          {"own_lse", "P as exp(S - lse), in base 2 or not, with an lse made anew"},
          {"own_lse_and_delta", "that, and delta made anew", is_given},
          {"base_2", "P as a power of 2, of scores and their maximum or lse times log2(e), each rounded"},
          {"p_dp_minus_p_delta", "dS as P dP - P delta, not P (dP - delta)"}};
}

inline double forward_flops(const Case& c) {
  return 2 * reference::attention_product_flops(reference::attention_shape(c));
}
inline double backward_flops(const Case& c) {
  return 5 * reference::attention_product_flops(reference::attention_shape(c));
}

template <class Run>  // void(ReferenceIo<double>&, const AttentionShape&)
std::vector<Mutant> mistakes(Run run) {
  const auto mistake = data::mistakes_of(reference::attention_shape, run);
  return {mistake("causal_bound_off_by_one", [](const Case&, auto& a) { --a.diagonal; }),
          mistake("kv_head_is_h_modulo_HK", [](const Case&, auto& a) { a.interleaved_heads = true; }),
          mistake("scale_left_out", [](const Case&, auto& a) { a.scale = 1; }),
          mistake("last_key_dropped", [](const Case&, auto& a) { --a.keys_end; })};
}

}  // namespace assay::ops::attention

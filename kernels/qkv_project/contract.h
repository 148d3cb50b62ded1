// qkv_project: what it means. A layer's queries, keys and values: for each head x Wᵀ and a bias, head-major.
//
// There are no pads: every lane of a row of x (aE) and of a head (ad) counts. k and v go straight into a cache: heads
// lie kv_stride slots apart, the tokens are the first T of them, and slots from T on keep their bits. One token, T = 1,
// is decoding. Each bias may be absent, and is f32; sums are f32 whatever the matrices are. Each of the three matrices
// may be blocks of a format, and x may go through blocks of q8_k first.
#pragma once

#include <algorithm>

#include "harness/op/contract.h"
#include "kernels/blocks/weights.h"
#include "kernels/kv_cache/regions.h"
#include "kernels/projection/problem.h"
#include "kernels/qkv_project/properties.h"
#include "reference/qkv_project.h"

namespace assay::ops::qkv_project {

inline std::optional<Error> wrong_sizes(const Case& c) {
  if (auto error = attention::heads_do_not_divide(c)) return error;
  const int64_t slots = c.dim("kv_stride"), tokens = c.dim("T");
  if (slots >= tokens) return blocks::refused(c, {{"wq", "aE"}, {"wk", "aE"}, {"wv", "aE"}}, {"aE"});
  return Error{fmt::format("kv_stride={} slots of a head do not hold T={} tokens", slots, tokens),
               fmt::format("take kv_stride={} or more", tokens)};
}

inline void make_sizes_right(Case& c) {
  attention::make_heads_divide(c);
  c.set("kv_stride", std::to_string(std::max(c.dim("kv_stride"), c.dim("T"))));
  blocks::drop_blocks_of_16_bits(c, {"wq", "wk", "wv"});
  blocks::complete(c, "aE", blocks::whole_blocks(c, {"wq", "wk", "wv"}, true));
}

inline Regions later_slots(const Case& c) {
  const int64_t slots = c.dim("kv_stride");
  Regions regions;
  kv_cache::mark_slots(regions, c.dim("HK"), slots, c.dim("ad"), c.dim("T"), slots, Region::kept);
  return regions;
}

// The parts of a projection from which a mutant computes its result.
struct Projection {
  const Tensor *x, *w, *bias;
  int64_t lanes, ins;

  double product(int64_t h, int64_t t, int64_t d, int64_t terms) const {
    return projection::sum_of_products(*x, {t * ins}, *w, {(h * lanes + d) * ins}, terms);
  }
  // W of a head read as (aE, ad).
  double transposed_product(int64_t h, int64_t t, int64_t d) const {
    return projection::sum_of_products(*x, {t * ins}, *w, {h * lanes * ins + d, lanes}, ins);
  }
  double bias_at(int64_t i) const { return bias->absent() ? 0 : bias->at(i); }
};

// Each element as f(projection, h, t, d) makes it.
inline Mutant projected_by(std::string name, double (*f)(const Projection& p, int64_t h, int64_t t, int64_t d)) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const char* const weights[] = {"wq", "wk", "wv"};
            const char* const biases[] = {"bq", "bk", "bv"};
            const Tensor x = blocks::as_multiplied(c, given.get("x"));
            for (size_t p = 0; p < 3; ++p) {
              const int64_t heads = outputs[p].shape[0], lanes = c.dim("ad"), ins = c.dim("aE");
              const Tensor w = blocks::elements_of(c, given.get(weights[p]), {heads, lanes, ins});
              const Projection from{&x, &w, &given.get(biases[p]), lanes, ins};
              for (int64_t h = 0; h < heads; ++h)
                for (int64_t t = 0; t < c.dim("T"); ++t)
                  for (int64_t d = 0; d < from.lanes; ++d) outputs[p](h, t, d) = f(from, h, t, d);
            }
          }};
}

// k and v of a cache that has T slots for each head.
inline void take_tokens_for_stride(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const int64_t tokens = c.dim("T"), lanes = c.dim("ad");
  for (size_t p = 1; p < 3; ++p) {
    const RefTensor<double> right = outputs[p];
    for (int64_t h = 0; h < c.dim("HK"); ++h)
      for (int64_t i = 0; i < tokens * lanes; ++i)
        outputs[p][h * tokens * lanes + i] = right[h * c.dim("kv_stride") * lanes + i];
  }
}

// Heads of a token side by side.
inline void write_token_major(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const int64_t tokens = c.dim("T"), heads = c.dim("H"), lanes = c.dim("ad");
  const RefTensor<double> right = outputs[0];
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t t = 0; t < tokens; ++t)
      for (int64_t d = 0; d < lanes; ++d) outputs[0][(t * heads + h) * lanes + d] = right(h, t, d);
}

inline void write_keys_for_values(const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  outputs[2].values = outputs[1].values;
}

inline TensorSpec weights(std::string name, ShapeText shape, std::vector<std::string> aliases) {
  return blocks::in_blocks({.name = std::move(name),
                            .shape = std::move(shape),
                            .make = projection::make_factor,
                            .aliases = std::move(aliases)},
                           blocks::Op::linear);
}
inline TensorSpec bias(std::string name, ShapeText shape, std::string listed) {
  return {.name = std::move(name),
          .shape = std::move(shape),
          .dtype = DType::f32,
          .make = projection::make_values,
          .absent = absent_unless_listed("biases", std::move(listed))};
}

inline Contract contract() {
  const ShapeText cache = {"HK", "kv_stride", "ad"};
  return {
      .name = "qkv_project",
      .summary = "q_htd = sum_e x_te Wq_hde + bq_hd; k and v likewise, in slots t < T of heads of kv_stride slots",
      .dims = {projection::heads(),
               projection::kv_heads(),
               projection::lanes(),
               projection::embedding(),
               projection::tokens(),
               {.name = "kv_stride",
                .meaning = "slots of a head of k and v, of which the first T are written",
                .boundary = {1, 33, 64, 65},
                .aliases = {"capacity", "max_seq", "max_seq_len", "cache_len", "k_stride"}}},
      .attrs = {{.name = "biases", .meaning = "which there are", .choices = {"none", "q", "k", "v", "q,k,v"}},
                blocks::weights_format("wq"),
                blocks::weights_format("wk"),
                blocks::weights_format("wv"),
                blocks::packed_activations("x")},
      .tensors = {blocks::packable({.name = "x",  // (T, aE)
                                    .shape = {"T", "aE"},
                                    .make = projection::make_values,
                                    .aliases = {"inp", "input", "hidden_states"}},
                                   {"wq", "wk", "wv"}, blocks::Op::linear),
                  weights("wq", {"H", "ad", "aE"}, {"q_proj", "w_q"}),   // (H, ad, aE), or blocks of its rows
                  weights("wk", {"HK", "ad", "aE"}, {"k_proj", "w_k"}),  // (HK, ad, aE)
                  weights("wv", {"HK", "ad", "aE"}, {"v_proj", "w_v"}),  // (HK, ad, aE)
                  bias("bq", {"H", "ad"}, "q"),                          // (H, ad), or absent
                  bias("bk", {"HK", "ad"}, "k"),                         // (HK, ad), or absent
                  bias("bv", {"HK", "ad"}, "v"),                         // (HK, ad), or absent
                  {.name = "q",                                          // (H, T, ad)
                   .role = Role::output,
                   .shape = {"H", "T", "ad"},
                   .aliases = {"query", "queries"}},
                  {.name = "k",  // (HK, kv_stride, ad)
                   .role = Role::output,
                   .shape = cache,
                   .aliases = {"key", "keys", "k_cache"},
                   .regions = later_slots},
                  {.name = "v",  // (HK, kv_stride, ad)
                   .role = Role::output,
                   .shape = cache,
                   .aliases = {"value", "values", "v_cache"},
                   .regions = later_slots}},
      .linear = true,
      .constraint = wrong_sizes,
      .adjust = make_sizes_right,
      .reference = reference_from([](auto& io) { reference::qkv_project(io); }),
      .multiplies_matrices = true,
      .properties = properties(),
      .mutants = {projected_by("biases_left_out", [](const Projection& p, int64_t h, int64_t t,
                                                     int64_t d) { return p.product(h, t, d, p.ins); }),
                  projected_by("bias_of_the_first_head",
                               [](const Projection& p, int64_t h, int64_t t, int64_t d) {
                                 return p.product(h, t, d, p.ins) + p.bias_at(d);
                               }),
                  projected_by("tail_of_the_row_dropped",  // whole tiles of 8 elements, and nothing of the last one
                               [](const Projection& p, int64_t h, int64_t t, int64_t d) {
                                 return p.product(h, t, d, p.ins / 8 * 8) + p.bias_at(h * p.lanes + d);
                               }),
                  projected_by("weights_transposed",
                               [](const Projection& p, int64_t h, int64_t t, int64_t d) {
                                 return p.transposed_product(h, t, d) + p.bias_at(h * p.lanes + d);
                               }),
                  {"stride_of_tokens", take_tokens_for_stride},
                  {"queries_token_major", write_token_major},
                  {"keys_for_values", write_keys_for_values}},
      .flops =
          [](const Case& c) {
            return 2.0 * static_cast<double>(c.dim("T") * (c.dim("H") + 2 * c.dim("HK"))) *
                   static_cast<double>(c.dim("ad") * c.dim("aE"));
          },
  };
}

}  // namespace assay::ops::qkv_project

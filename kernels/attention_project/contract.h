// attention_project: what it means. Attention's result for each head goes back into a row of the layer: a product
// over all lanes of all heads, and the bias once, not once for each head.
//
// There are no pads: every lane of a head (ad) and of a row (aE) counts, and H·ad need not be aE. The weights are
// stored for each head, (H, aE, ad), or for each element of a row, (aE, H·ad). The bias is f32 and may be absent; sums
// are f32 whatever the matrices are. One token, T = 1, is decoding.
#pragma once

#include "harness/op/contract.h"
#include "kernels/attention_project/properties.h"
#include "kernels/blocks/weights.h"
#include "kernels/projection/problem.h"
#include "reference/attention_project.h"

namespace assay::ops::attention_project {

// Element i of a token's row of all heads, which is what blocks are made of, lies in head i / ad.
struct AtInHeads {
  int64_t tokens, lanes;

  explicit AtInHeads(const Case& c) : tokens(c.dim("T")), lanes(c.dim("ad")) {}
  int64_t operator()(int64_t token, int64_t i) const { return (i / lanes * tokens + token) * lanes + i % lanes; }
};
inline Tensor rows_of_heads(const Case& c, const Tensor& attn) {
  const int64_t tokens = c.dim("T"), length = c.dim("H") * c.dim("ad");
  const AtInHeads at(c);
  Tensor rows("rows", attn.dtype(), attn.role(), {tokens, length});
  for (int64_t i = 0; i < rows.count(); ++i) rows.set_bits(i, attn.bits(at(i / length, i % length)));
  return rows;
}
inline Tensor heads_of_rows(const Case& c, const Tensor& rows, Tensor attn) {
  const int64_t length = c.dim("H") * c.dim("ad");
  const AtInHeads at(c);
  for (int64_t i = 0; i < rows.count(); ++i) attn.set_bits(at(i / length, i % length), rows.bits(i));
  return attn;
}

inline Tensor as_multiplied(const Case& c, const Tensor& attn) {
  return heads_of_rows(c, blocks::as_multiplied(c, rows_of_heads(c, attn)), attn);
}

// The data is as the fill has it, by rows where those are packed.
inline void make_attn(const Case& c, Rng& rng, Tensor& attn) {
  if (!blocks::packs_activations(c))
    return blocks::packable({.name = "attn", .make = projection::make_values}, {"wo"}, blocks::Op::linear)
        .make(c, rng, attn);
  Tensor rows = rows_of_heads(c, attn);
  blocks::packable({.name = "attn", .make = projection::make_values}, {"wo"}, blocks::Op::linear).make(c, rng, rows);
  attn = heads_of_rows(c, rows, attn);
}

inline std::optional<Error> refused(const Case& c) {
  if (is_by_head(c) && blocks::has_blocks(c, "wo"))
    return Error{fmt::format("wo_format={} is of weights by row, and wo=by_head", c.text("wo_format")),
                 "take wo=by_row or wo_format=none"};
  return blocks::refused(c, {{"wo", "H*ad"}}, {"H*ad"});
}

inline void make_acceptable(Case& c) {
  blocks::drop_blocks_of_16_bits(c, {"wo"});
  if (blocks::has_blocks(c, "wo")) c.set("wo", "by_row");
  blocks::complete_heads(c, blocks::whole_blocks(c, {"wo"}, true));
}

// The terms of an element's sum, and its bias.
struct Terms {
  const Case& c;
  const Tensor attn, wo;
  const Tensor& bo;
  int64_t heads = c.dim("H"), tokens = c.dim("T"), lanes = c.dim("ad"), outs = c.dim("aE");

  // Over the first `count` lanes of a head, with the weights as they lie, or are taken to lie.
  double of_head(int64_t t, int64_t e, int64_t h, int64_t count, bool by_head) const {
    return projection::sum_of_products(attn, {(h * tokens + t) * lanes}, wo, {weight_at(c, by_head, e, h, 0)}, count);
  }
  double of_heads(int64_t t, int64_t e, int64_t first, int64_t end, int64_t count, bool by_head) const {
    double sum = 0;
    for (int64_t h = first; h < end; ++h) sum += of_head(t, e, h, count, by_head);
    return sum;
  }
  double bias(int64_t e) const { return bo.absent() ? 0 : bo.at(e); }
};

// Each element as f(terms, t, e) makes it.
inline Mutant summed_by(std::string name, double (*f)(const Terms& s, int64_t t, int64_t e)) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const int64_t length = c.dim("H") * c.dim("ad");
            const Terms terms{c, as_multiplied(c, given.get("attn")),
                              blocks::elements_of(c, given.get("wo"), {c.dim("aE"), length}), given.get("bo")};
            for (int64_t t = 0; t < terms.tokens; ++t)
              for (int64_t e = 0; e < terms.outs; ++e) outputs[0](t, e) = f(terms, t, e);
          }};
}

// attn taken for rows of all heads, [T, H, ad].
inline double read_token_major(const Terms& s, int64_t t, int64_t e) {
  double sum = s.bias(e);
  for (int64_t h = 0; h < s.heads; ++h)
    sum += projection::sum_of_products(s.attn, {(t * s.heads + h) * s.lanes}, s.wo,
                                       {weight_at(s.c, is_by_head(s.c), e, h, 0)}, s.lanes);
  return sum;
}

inline void add_bias_for_each_head(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  for (int64_t t = 0; t < c.dim("T"); ++t)
    for (int64_t e = 0; e < c.dim("aE") && !given.get("bo").absent(); ++e)
      outputs[0](t, e) += static_cast<double>(c.dim("H") - 1) * given.get("bo").at(e);
}
inline Contract contract() {
  return {
      .name = "attention_project",
      .summary = "out_te = bo_e + sum_h sum_d attn_htd Wo(e,h,d), Wo stored (H, aE, ad) or (aE, H ad)",
      .dims = {projection::heads(), projection::lanes(), projection::embedding(), projection::tokens()},
      .repeats_along = {"T"},
      .attrs = {layout_of_wo(), biases(), blocks::weights_format("wo"),
                blocks::packed_activations("a token's row of all heads")},
      .tensors = {{.name = "attn",  // (H, T, ad)
                   .shape = {"H", "T", "ad"},
                   .make = make_attn,
                   .aliases = {"x", "inp", "input", "attn_out"}},
                  blocks::in_blocks({.name = "wo",  // (H, aE, ad), (aE, H*ad), or blocks of the latter's rows
                                     .make = projection::make_factor,
                                     .shape_by = wo_shape,
                                     .aliases = {"w", "weight", "o_proj", "w_o"}},
                                    blocks::Op::linear),
                  {.name = "bo",  // (aE), or absent
                   .shape = {"aE"},
                   .dtype = DType::f32,
                   .make = projection::make_values,
                   .aliases = {"bias", "b_o"},
                   .absent = absent_unless_listed("biases", "o")},
                  {.name = "out", .role = Role::output, .shape = {"T", "aE"}, .aliases = {"y", "output"}}},  // (T, aE)
      .linear = true,
      .constraint = refused,
      .adjust = make_acceptable,
      .reference = reference_from([](auto& io) { reference::attention_project(io); }),
      .multiplies_matrices = true,
      .properties = properties(),
      .mutants = {{"bias_for_each_head", add_bias_for_each_head},
                  summed_by("bias_left_out",
                            [](const Terms& s, int64_t t, int64_t e) {
                              return s.of_heads(t, e, 0, s.heads, s.lanes, is_by_head(s.c));
                            }),
                  summed_by("wo_in_the_other_layout",
                            [](const Terms& s, int64_t t, int64_t e) {
                              return s.bias(e) + s.of_heads(t, e, 0, s.heads, s.lanes, !is_by_head(s.c));
                            }),
                  summed_by("tail_of_heads_dropped",  // whole tiles of 8 lanes, and nothing of the last one
                            [](const Terms& s, int64_t t, int64_t e) {
                              return s.bias(e) + s.of_heads(t, e, 0, s.heads, s.lanes / 8 * 8, is_by_head(s.c));
                            }),
                  summed_by("last_head_only",
                            [](const Terms& s, int64_t t, int64_t e) {
                              return s.bias(e) + s.of_heads(t, e, s.heads - 1, s.heads, s.lanes, is_by_head(s.c));
                            }),
                  summed_by("attn_read_token_major", read_token_major)},
      .flops =
          [](const Case& c) {
            return 2.0 * static_cast<double>(c.dim("T") * c.dim("aE")) * static_cast<double>(c.dim("H") * c.dim("ad"));
          },
  };
}

}  // namespace assay::ops::attention_project

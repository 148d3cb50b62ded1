// layer_forward: what it means. A transformer layer over T tokens: a norm, attention of grouped heads and a residual,
// then a norm, an MLP with a gate and a residual.
//
//   n1 = norm(x); q, k, v = n1 W; q and k turn by their positions; r1 = x + attention(q, k, v) Wo
//   n2 = norm(r1); y = r1 + mlp(n2)
//
// Each matrix may be blocks of a format of its own, and what products take may go through blocks of q8_k.
//
// It is a composite: each step is an op of its own, and a variant chooses one for each. Position 0 is that of token 0.
// y's padding is x's, which is NaN.
#pragma once

#include "kernels/layer/problem.h"

namespace assay::ops::layer_forward {

inline std::optional<Error> wrong_sizes(const Case& c) {
  if (auto error = layer::wrong_widths(c)) return error;
  if (c.dim("max_seq") >= c.dim("T")) return std::nullopt;
  return Error{fmt::format("T={} tokens are past tables of max_seq={} positions", c.dim("T"), c.dim("max_seq")),
               fmt::format("take max_seq={} or more", c.dim("T"))};
}

inline void make_sizes_right(Case& c) {
  layer::make_widths_right(c);
  c.set("max_seq", std::to_string(std::max(c.dim("max_seq"), c.dim("T"))));
}

inline void make_acceptable(Case& c) {
  make_sizes_right(c);
  layer::make_blocks_whole(c);
  make_sizes_right(c);  // a head that has grown turns too
}

inline std::vector<Step> steps() {
  return {{.name = "norm1",
           .op = "rms_norm_forward",
           .tensors = {{"gamma", "gamma1"}, {"y", "n1"}, {"rstd", "rstd1"}},
           .params = {{"pad", "padE"}}},
          {.name = "qkv",
           .op = "qkv_project",
           .tensors = {{"x", "n1"}},
           .params = {{"kv_stride", "T"}},
           .complete = layer::biases("q,k,v")},
          {.name = "turn",
           .op = "rope_qk",
           .tensors = {{"q_out", "q"}, {"k_out", "k"}},
           .params = {{"pad", "padD"}, {"k_stride", "T"}, {"pos_offset", "0"}, {"alias", "q_out:q,k_out:k"}},
           .applies = layer::turns},
          {.name = "attend",
           .op = "attention_causal_head_major",
           .tensors = {{"out", "a"}},
           .params = {{"pad", "padD"}, {"aw", "T"}}},
          {.name = "project",
           .op = "attention_project",
           .tensors = {{"attn", "a"}, {"out", "o"}},
           .complete = layer::biases("o")},
          {.name = "join1", .op = "residual_add", .tensors = {{"a", "x"}, {"b", "o"}, {"out", "r1"}}},
          {.name = "norm2",
           .op = "rms_norm_forward",
           .tensors = {{"x", "r1"}, {"gamma", "gamma2"}, {"y", "n2"}, {"rstd", "rstd2"}},
           .params = {{"pad", "padE"}}},
          {.name = "mlp", .op = "mlp_swiglu", .tensors = {{"x", "n2"}, {"y", "m"}}, .complete = layer::biases("1,2")},
          {.name = "join2", .op = "residual_add", .tensors = {{"a", "r1"}, {"b", "m"}, {"out", "y"}}}};
}

inline std::vector<AttrSpec> attributes() {
  std::vector<AttrSpec> attrs = layer::attributes();
  attrs.push_back(
      {.name = "probs", .meaning = "whether attention keeps its probabilities", .choices = {"none", "saved"}});
  return attrs;
}

inline std::vector<TensorSpec> tensors() {
  std::vector<TensorSpec> tensors = layer::in_blocks(layer::parameters());
  tensors.insert(tensors.begin(), {.name = "x",  // (T, aE)
                                   .shape = {"T", "aE"},
                                   .make = layer::make_x_with_small_rows,
                                   .aliases = {"hidden_states", "inp"},
                                   .regions = [](const Case& c) { return layer::dead_pads(c, c.dim("T")); }});
  tensors.push_back({.name = "y", .role = Role::output, .shape = {"T", "aE"}, .aliases = {"out"}});  // (T, aE)
  return tensors;
}

inline Contract contract() {
  return composite({
      .name = "layer_forward",
      .summary = "r1 = x + Wo attention(rope(norm(x) Wq, Wk, Wv)), y = r1 + W2 swiglu(W1 norm(r1))",
      .dims = layer::with_widths({layer::tokens(),
                                  {.name = "max_seq",
                                   .meaning = "positions of the tables",
                                   .usual_max = 256,
                                   .aliases = {"max_seq_len", "max_position"}}}),
      .attrs = layer::with_formats(attributes()),
      .tensors = tensors(),
      .steps = steps(),
      .dtypes = {DType::f32},
      .admits_nan = false,
      .admits_infinity = false,
      .why_left_out = "its steps spread a single one over all outputs, and leave nothing to compare",
      .constraint = wrong_sizes,
      .adjust = make_acceptable,
      .reference = {},  // that of its steps
      .multiplies_matrices = true,
  });
}

}  // namespace assay::ops::layer_forward

// layer_decode: what it means. One token through a transformer layer, against caches that hold the keys and values of
// tokens 0 … idx-1.
//
// Its own key and value go into slot idx first; then it attends to idx + 1 keys. Where it stands is a parameter of its
// own, `position`; with position = idx the result is row idx of layer_forward, which the property below asks for every
// idx that fits. Slots from idx on hold NaN before, and padding too; other slots keep what they hold.
#pragma once

#include "kernels/layer/problem.h"
#include "kernels/layer_decode/properties.h"

namespace assay::ops::layer_decode {

inline std::optional<Error> wrong_sizes(const Case& c) {
  if (auto error = layer::wrong_widths(c)) return error;
  if (c.dim("idx") >= c.dim("capacity"))
    return Error{fmt::format("slot idx={} is past the cache's capacity={}", c.dim("idx"), c.dim("capacity")),
                 fmt::format("take idx={} or less", c.dim("capacity") - 1)};
  if (c.dim("position") >= c.dim("max_seq"))
    return Error{fmt::format("position={} is past tables of max_seq={} positions", c.dim("position"), c.dim("max_seq")),
                 fmt::format("take max_seq={} or more", c.dim("position") + 1)};
  return std::nullopt;
}

inline void make_sizes_right(Case& c) {
  layer::make_widths_right(c);
  layer::make_blocks_whole(c);
  layer::make_widths_right(c);  // a head that has grown turns too
  c.set("idx", std::to_string(std::min(c.dim("idx"), c.dim("capacity") - 1)));
  c.set("position", std::to_string(std::min(c.dim("position"), c.dim("max_seq") - 1)));
}

inline std::vector<Step> steps() {
  const Step::Binding one{"T", "1"}, row_pad{"pad", "padE"}, head_pad{"pad", "padD"};
  return {{.name = "norm1",
           .op = "rms_norm_forward",
           .tensors = {{"gamma", "gamma1"}, {"y", "n1"}, {"rstd", "rstd1"}},
           .params = {one, row_pad}},
          {.name = "qkv",
           .op = "qkv_project",
           .tensors = {{"x", "n1"}},
           .params = {one, {"kv_stride", "1"}},
           .complete = layer::biases("q,k,v")},
          {.name = "turn",
           .op = "rope_qk",
           .tensors = {{"q_out", "q"}, {"k_out", "k"}},
           .params = {one, head_pad, {"k_stride", "1"}, {"pos_offset", "position"}, {"alias", "q_out:q,k_out:k"}},
           .applies = layer::turns},
          {.name = "write", .op = "kv_cache_write", .params = {head_pad, {"slot", "idx"}}},
          {.name = "attend",
           .op = "attention_decode",
           .tensors = {{"k", "k_cache"}, {"v", "v_cache"}, {"out", "a"}},
           .params = {head_pad, {"kv_tokens", "1"}},
           .complete = [](const Case& c, Case& step) { step.set("kv_tokens", std::to_string(c.dim("idx") + 1)); }},
          {.name = "project",
           .op = "attention_project",
           .tensors = {{"attn", "a"}, {"out", "o"}},
           .params = {one},
           .complete = layer::biases("o")},
          {.name = "join1", .op = "residual_add", .tensors = {{"a", "x"}, {"b", "o"}, {"out", "r1"}}, .params = {one}},
          {.name = "norm2",
           .op = "rms_norm_forward",
           .tensors = {{"x", "r1"}, {"gamma", "gamma2"}, {"y", "n2"}, {"rstd", "rstd2"}},
           .params = {one, row_pad}},
          {.name = "mlp",
           .op = "mlp_swiglu",
           .tensors = {{"x", "n2"}, {"y", "m"}},
           .params = {one, {"form", "form"}},
           .complete = layer::biases("1,2")},
          {.name = "join2", .op = "residual_add", .tensors = {{"a", "r1"}, {"b", "m"}, {"out", "y"}}, .params = {one}}};
}

// Values in slots 0 … idx-1, NaN behind them and in the padding.
inline void make_cache(const Case& c, Rng& rng, Tensor& cache) {
  layer::make_normal(c, rng, layer::kLargest, cache);
  const int64_t lanes = c.dim("ad"), slots = c.dim("capacity");
  for (int64_t i = 0; i < cache.count(); ++i)
    if (i % lanes >= layer::head_dim(c) || i / lanes % slots >= c.dim("idx")) cache.set(i, NAN);
}

inline std::vector<TensorSpec> tensors() {
  std::vector<TensorSpec> tensors = layer::in_blocks(layer::parameters());
  tensors.insert(tensors.begin(), {.name = "x",  // (aE)
                                   .shape = {"aE"},
                                   .make = layer::make_x,
                                   .aliases = {"hidden_states", "inp"},
                                   .regions = [](const Case& c) { return layer::dead_pads(c, 1); }});
  for (const char* cache : {"k_cache", "v_cache"})  // (HK, capacity, ad)
    tensors.push_back({.name = cache, .role = Role::inout, .shape = {"HK", "capacity", "ad"}, .make = make_cache});
  tensors.push_back({.name = "y", .role = Role::output, .shape = {"aE"}, .aliases = {"out"}});  // (aE)
  return tensors;
}

inline std::vector<AttrSpec> attributes() {
  std::vector<AttrSpec> attrs = layer::attributes();
  attrs.push_back(
      {.name = "form", .meaning = "what the MLP stores besides y: g, or nothing", .choices = {"token", "fused"}});
  return attrs;
}

inline Contract contract() {
  return composite({
      .name = "layer_decode",
      .summary = "row `idx` of layer_forward from caches of the tokens before it; its key and value go into slot idx",
      .dims = layer::with_widths({{.name = "capacity",
                                   .meaning = "slots of a head in the caches",
                                   .boundary = {1, 33, 65},
                                   .usual_max = 256,
                                   .aliases = {"cache_len", "max_tokens"}},
                                  {.name = "idx",
                                   .meaning = "slot of the token, from 0",
                                   .min = 0,
                                   .usual_max = 255,
                                   .aliases = {"slot", "token_index"}},
                                  {.name = "max_seq", .meaning = "positions of the tables", .usual_max = 256},
                                  {.name = "position",
                                   .meaning = "of the token, by which it turns",
                                   .min = 0,
                                   .boundary = {1, 31},
                                   .usual_max = 255,
                                   .aliases = {"pos"}}}),
      .attrs = layer::with_formats(attributes()),
      .tensors = tensors(),
      .steps = steps(),
      .dtypes = {DType::f32},
      .admits_nan = false,
      .admits_infinity = false,
      .why_left_out = "its steps spread a single one over all outputs, and leave nothing to compare",
      .constraint = wrong_sizes,
      .adjust = make_sizes_right,
      .reference = {},  // that of its steps
      .multiplies_matrices = true,
      .properties = {{.name = "decoding_is_prefill",
                      .states = "tokens decoded one after the other into empty caches give the rows of layer_forward",
                      .broken = decoding_differs_from_prefill}},
  });
}

}  // namespace assay::ops::layer_decode

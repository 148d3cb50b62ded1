// layer_backward: what it means. All gradients of layer_forward, from dy and from what the forward has kept.
//
// Kept are the normalised rows n1 and n2 with their rstd1 and rstd2, q and k after they have turned, v, the
// probabilities, what attention gave (a), r1, and of the MLP h and g. dy is an input and keeps its bits: an engine that
// takes it for scratch memory is wrong here. Gradients of weights and biases are f32 and are overwritten or added to,
// as `dw` has it; those of biases are there whether the layer has biases or not. dy's padding is 0.
#pragma once

#include "kernels/layer/problem.h"
#include "kernels/layer_forward/contract.h"

namespace assay::ops::layer_backward {

inline std::vector<Step> steps() {
  const Step::Binding row_pad{"pad", "padE"}, head_pad{"pad", "padD"};
  return {
      {.name = "split2", .op = "residual_add_backward", .tensors = {{"dout", "dy"}, {"da", "dr2"}, {"db", "dm"}}},
      {.name = "down",
       .op = "linear_backward",
       .tensors = {{"dy", "dm"}, {"x", "g"}, {"w", "w2"}, {"dx", "dg"}, {"dw", "dw2"}, {"db", "db2"}},
       .params = {{"N", "aE"}, {"K", "aI"}, {"dx", "overwrite"}}},
      {.name = "gate",
       .op = "swiglu_backward",
       .tensors = {{"in", "h"}, {"dy", "dg"}, {"din", "dh"}},
       .params = {{"dim", "aI"}}},
      {.name = "up",
       .op = "linear_backward",
       .tensors = {{"dy", "dh"}, {"x", "n2"}, {"w", "w1"}, {"dx", "dn2"}, {"dw", "dw1"}, {"db", "db1"}},
       .params = {{"N", "2*aI"}, {"K", "aE"}, {"dx", "overwrite"}}},
      {.name = "norm2",
       .op = "rms_norm_backward_rstd",
       .tensors =
           {{"dy", "dn2"}, {"x", "r1"}, {"gamma", "gamma2"}, {"rstd", "rstd2"}, {"dx", "dn2"}, {"dgamma", "dgamma2"}},
       .params = {row_pad, {"alias", "dx:dy"}}},
      {.name = "merge2",
       .op = "residual_add",
       .tensors = {{"a", "dr2"}, {"b", "dn2"}, {"out", "dr1"}},
       .params = {{"alias", "out:a"}}},
      {.name = "split1", .op = "residual_add_backward", .tensors = {{"dout", "dr1"}, {"da", "dx1"}, {"db", "do"}}},
      {.name = "project",
       .op = "attention_project_backward",
       .tensors = {{"dout", "do"}, {"attn", "a"}, {"dattn", "da"}},
       .params = {{"biases", "o"}}},
      {.name = "attend",
       .op = "attention_backward_saved",
       .tensors = {{"w", "probs"}, {"do", "da"}},
       .params = {head_pad, {"aw", "T"}}},
      {.name = "turn",
       .op = "rope_qk",
       .tensors = {{"q", "dq"}, {"k", "dk"}, {"q_out", "dq"}, {"k_out", "dk"}},
       .params =
           {head_pad, {"k_stride", "T"}, {"pos_offset", "0"}, {"direction", "backward"}, {"alias", "q_out:q,k_out:k"}},
       .applies = layer::turns},
      {.name = "qkv",
       .op = "qkv_project_backward",
       .tensors = {{"x", "n1"}, {"dx", "dn1"}},
       .params = {{"biases", "q,k,v"}}},
      {.name = "norm1",
       .op = "rms_norm_backward_rstd",
       .tensors = {{"dy", "dn1"}, {"gamma", "gamma1"}, {"rstd", "rstd1"}, {"dx", "dx2"}, {"dgamma", "dgamma1"}},
       .params = {row_pad}},
      {.name = "merge1", .op = "residual_add", .tensors = {{"a", "dx1"}, {"b", "dx2"}, {"out", "dx"}}}};
}

// A result of these steps of the forward on the tensors before it, in double.
inline TensorSpec kept(std::string name, ShapeText shape, std::vector<std::string> by) {
  const auto derive = [by = std::move(by)](const Case& c, const Tensors& earlier, Tensor& tensor) {
    std::vector<Step> steps;
    for (const Step& step : layer_forward::steps())
      if (std::find(by.begin(), by.end(), step.name) != by.end()) steps.push_back(step);
    Case forward = c;
    forward.set("probs", "saved");
    Tensors given = earlier;
    given.emplace_back(tensor.name(), tensor.dtype(), Role::output, tensor.shape());
    const auto made = run_references<double>(steps, forward, given);
    for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, made[0][i]);
  };
  return {.name = std::move(name), .shape = std::move(shape), .derive = derive};
}

inline void make_dy(const Case& c, Rng& rng, Tensor& dy) {
  layer::make_normal(c, rng, layer::kLargest, dy);
  for (int64_t i = 0; i < dy.count(); ++i)
    if (!layer::row(c).has(i)) dy.set(i, 0);
}

inline TensorSpec gradient(std::string name, ShapeText shape) {
  return {.name = std::move(name),
          .role = Role::output,
          .shape = std::move(shape),
          .dtype = DType::f32,
          .make = [](const Case& c, Rng& rng, Tensor& t) { layer::make_normal(c, rng, layer::kLargest, t); },
          .role_by = [](const Case& c) { return c.text("dw") == "accumulate" ? Role::accumulate : Role::output; }};
}

inline TensorSpec gamma_gradient(std::string name) {
  return {.name = std::move(name), .role = Role::output, .dtype = DType::f32, .shape_by = [](const Case& c) {
            return ShapeText{std::to_string(layer::row_dim(c))};
          }};
}

inline std::vector<TensorSpec> tensors() {
  std::vector<TensorSpec> tensors = layer::parameters();
  tensors.insert(tensors.begin(), {.name = "x",  // (T, aE)
                                   .shape = {"T", "aE"},
                                   .magnitude = layer::kLargest,
                                   .regions = [](const Case& c) { return layer::dead_pads(c, c.dim("T")); }});
  for (TensorSpec spec : {kept("n1", {"T", "aE"}, {"norm1"}),             // (T, aE)
                          kept("rstd1", {"T"}, {"norm1"}),                // (T)
                          kept("q", {"H", "T", "ad"}, {"qkv", "turn"}),   // (H, T, ad)
                          kept("k", {"HK", "T", "ad"}, {"qkv", "turn"}),  // (HK, T, ad)
                          kept("v", {"HK", "T", "ad"}, {"qkv"}),          // (HK, T, ad)
                          kept("probs", {"H", "T", "T"}, {"attend"}),     // (H, T, T)
                          kept("a", {"H", "T", "ad"}, {"attend"}),        // (H, T, ad)
                          kept("r1", {"T", "aE"}, {"project", "join1"}),  // (T, aE)
                          kept("n2", {"T", "aE"}, {"norm2"}),             // (T, aE)
                          kept("rstd2", {"T"}, {"norm2"}),                // (T)
                          kept("h", {"T", "2*aI"}, {"mlp"}),              // (T, 2 aI)
                          kept("g", {"T", "aI"}, {"mlp"}),                // (T, aI)
                          TensorSpec{.name = "dy", .shape = {"T", "aE"}, .make = make_dy, .aliases = {"dout"}},
                          TensorSpec{.name = "dx", .role = Role::output, .shape = {"T", "aE"}},
                          gamma_gradient("dgamma1"),            // (E)
                          gamma_gradient("dgamma2"),            // (E)
                          gradient("dwq", {"H", "ad", "aE"}),   // (H, ad, aE)
                          gradient("dwk", {"HK", "ad", "aE"}),  // (HK, ad, aE)
                          gradient("dwv", {"HK", "ad", "aE"}),  // (HK, ad, aE)
                          gradient("dwo", {"aE", "H*ad"}),      // (aE, H ad)
                          gradient("dw1", {"2*aI", "aE"}),      // (2 aI, aE)
                          gradient("dw2", {"aE", "aI"}),        // (aE, aI)
                          gradient("dbq", {"H", "ad"}),         // (H, ad)
                          gradient("dbk", {"HK", "ad"}),        // (HK, ad)
                          gradient("dbv", {"HK", "ad"}),        // (HK, ad)
                          gradient("dbo", {"aE"}),              // (aE)
                          gradient("db1", {"2*aI"}),            // (2 aI)
                          gradient("db2", {"aE"})})             // (aE)
    tensors.push_back(std::move(spec));
  return tensors;
}

inline std::vector<AttrSpec> attributes() {
  std::vector<AttrSpec> attrs = layer::attributes();
  attrs.push_back({.name = "dw",
                   .meaning = "what becomes of the gradients of weights and biases",
                   .choices = {"overwrite", "accumulate"}});
  return attrs;
}

inline Contract contract() {
  return composite({
      .name = "layer_backward",
      .summary =
          "the gradients of layer_forward for x, both gammas, and all weights and biases, from dy and what was kept",
      .dims = layer::with_widths(
          {layer::tokens(), {.name = "max_seq", .meaning = "positions of the tables", .usual_max = 256}}),
      .attrs = attributes(),
      .tensors = tensors(),
      .steps = steps(),
      .dtypes = {DType::f32},
      .admits_nan = false,
      .admits_infinity = false,
      .why_left_out = "its steps spread a single one over all outputs, and leave nothing to compare",
      .constraint = layer_forward::wrong_sizes,
      .adjust = layer_forward::make_sizes_right,
      .reference = {},  // that of its steps
      .multiplies_matrices = true,
  });
}

}  // namespace assay::ops::layer_backward

// The common part of the contracts of attention's backwards, beyond problem.h: the forward's results that they are
// given, and the gradients that they write.
#pragma once

#include "kernels/attention/problem.h"

namespace assay::ops::attention {

inline AttrSpec key_gradients_are() {
  return {
      .name = "dkv", .meaning = "what becomes of dK and dV", .choices = {"overwrite", "accumulate"}, .optional = true};
}
inline AttrSpec delta_layout() {
  return {.name = "delta_layout",
          .meaning = "order of the delta that is given: (B, H, Sq) or (B, Sq, H)",
          .choices = {"head_major", "token_major"},
          .optional = true};
}
inline AttrSpec grads() { return {.name = "grads", .meaning = "dtype of dK and dV", .choices = {"f32", "same"}}; }

inline DType gradient_dtype(const Case& c) { return c.text("grads") == "f32" ? DType::f32 : c.dtype; }

inline TensorSpec output_gradient() {
  return by_query("do", Role::input, make_partner, {"dy", "dout", "grad_out", "grad_output"});
}

// The values of dK and dV before they are added to: about as large as what is added, so that neither hides the other
// where the sum has eight bits.
inline void make_gradients(const Case& c, Rng& rng, Tensor& tensor) {
  make_partner(c, rng, tensor);
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, tensor.at(i) / 8);
}

inline TensorSpec key_gradients(std::string name) {
  return {.name = std::move(name),
          .role = Role::output,
          .make = make_gradients,
          .shape_by = key_shape,
          .dtype_by = gradient_dtype,
          .role_by = [](const Case& c) {
            return reference::attention_shape(c).adds_to_keys ? Role::accumulate : Role::output;
          }};
}

// The forward's outputs, o and lse, from the tensors of `given` that it takes.
inline std::vector<RefTensor<double>> forward(const Case& c, const Tensors& given, bool biased) {
  Tensors all = given;
  std::vector<int64_t> query_extents;
  for (const std::string& extent : query_shape(c)) query_extents.push_back(c.dim(extent));
  std::erase_if(all, [](const Tensor& t) { return t.name() == "o" || t.name() == "lse"; });
  all.emplace_back("o", DType::f32, Role::output, query_extents);
  all.emplace_back("lse", DType::f32, Role::output, std::vector{c.dim("B"), c.dim("H"), c.dim("Sq")});
  const ReferenceInFull in_full;
  return reference_run<double>(
      [&](auto& io) { reference::attention_forward(io, reference::attention_shape(c), biased); })(c, all);
}

inline void assign(Tensor& tensor, const RefTensor<double>& values) {
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.set(i, values[i]);
}

// A result that the forward left for the backward; absent where the case gives nothing, or the other.
inline AttrSpec saved(std::vector<std::string> choices) {
  return {.name = "saved",
          .meaning = "what the backward is given of the forward: lse and delta, lse and o, or none of it",
          .choices = std::move(choices)};
}

inline TensorSpec saved_o(bool biased) {
  return {.name = "o",
          .derive =
              [=](const Case& c, const Tensors& earlier, Tensor& o) {
                if (o.count() > 0) assign(o, forward(c, earlier, biased)[0]);
              },
          .shape_by = query_shape,
          .aliases = kNamesOfOutput,
          .absent = [](const Case& c) { return c.text("saved") != "lse_o"; }};
}

inline TensorSpec saved_lse(bool biased) {
  return {.name = "lse",
          .shape = {"B", "H", "Sq"},
          .dtype = DType::f32,
          .derive =
              [=](const Case& c, const Tensors& earlier, Tensor& lse) {
                if (lse.count() > 0) assign(lse, forward(c, earlier, biased)[1]);
              },
          .aliases = kNamesOfLse,
          .absent = [](const Case& c) { return c.text("saved") == "none"; }};
}

// delta = dO·O, from the O that the forward stores: rounded to the case's dtype.
inline TensorSpec saved_delta(bool biased) {
  const auto derive = [=](const Case& c, const Tensors& earlier, Tensor& delta) {
    if (delta.count() == 0) return;
    const auto a = reference::attention_shape(c);
    Tensor o("o", c.dtype, Role::input, earlier.get("q").shape());
    assign(o, forward(c, earlier, biased)[0]);
    const Tensor& go = earlier.get("do");
    for (int64_t b = 0; b < a.batch; ++b)
      for (int64_t h = 0; h < a.heads; ++h)
        for (int64_t i = 0; i < a.queries; ++i) {
          double sum = 0;
          for (int64_t d = 0; d < a.dim; ++d) sum += go.at(a.q.at(b, i, h) + d) * o.at(a.q.at(b, i, h) + d);
          delta.set(a.delta_at(b, h, i), sum);
        }
  };
  const auto shape = [](const Case& c) {
    return reference::attention_shape(c).delta_token_major ? ShapeText{"B", "Sq", "H"} : ShapeText{"B", "H", "Sq"};
  };
  return {.name = "delta",
          .shape = {"B", "H", "Sq"},
          .dtype = DType::f32,
          .derive = derive,
          .shape_by = shape,
          .aliases = {"dsum", "dpsum", "softmax_d", "dsoftmax_sum"},
          .absent = [](const Case& c) { return c.text("saved") != "lse_delta"; }};
}

}  // namespace assay::ops::attention

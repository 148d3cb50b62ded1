// mlp_swiglu: what it means. The feed-forward half of a layer: h = x W1ᵀ + b1, g = silu(gate of h) · (other half of h),
// y = g W2ᵀ + b2, with silu(a) = a / (1 + exp(-a)).
//
// W1 has the rows of the gate first, then those of the other half. Rows have no pads: all of aE and aI counts. Three
// choices of `form` compute the same: prefill also gives h and g, as a backward wants them; token (T = 1) gives g;
// fused (T = 1) gives y only. Biases are f32, and each may be absent. Sums are f32, and what lies between is rounded
// only where it is a result, or a variant declares that it stores it.
//
// W1 and W2 may each be blocks of a format, and what both are multiplied with, x and g, may go through blocks of q8_k
// first: g as a result is the one before that.
//
// Infinite data is left out: where a gate is so far below zero that f32 has its silu as 0, an infinite other half makes
// NaN of it, where the mathematics has infinity.
#pragma once

#include "harness/op/contract.h"
#include "kernels/blocks/weights.h"
#include "kernels/mlp_swiglu/data.h"
#include "kernels/mlp_swiglu/properties.h"
#include "kernels/projection/problem.h"
#include "kernels/swiglu/problem.h"
#include "reference/mlp_swiglu.h"

namespace assay::ops::mlp_swiglu {

inline std::optional<Error> refused(const Case& c) {
  if (!has_h(c) && c.dim("T") != 1)
    return Error{fmt::format("form={} is of one token, and there are T={}", c.text("form"), c.dim("T")),
                 "take T=1 or form=prefill"};
  return blocks::refused(c, {{"w1", "aE"}, {"w2", "aI"}}, {"aE", "aI"});
}

inline void make_acceptable(Case& c) {
  if (!has_h(c)) c.set("T", "1");
  blocks::drop_blocks_of_16_bits(c, {"w1", "w2"});
  blocks::complete(c, "aE", blocks::whole_blocks(c, {"w1"}, true));
  blocks::complete(c, "aI", blocks::whole_blocks(c, {"w2"}, true));
}

// The mistakes of a wrong kernel.
struct Mistake {
  bool swaps_halves = false, forgets_a = false, skips_silu = false, transposes_w2 = false;
  double weight_of_b1 = 1, weight_of_b2 = 1;
  int64_t tile = 1;  // terms of the second product after the last whole tile are left out
};

inline std::vector<double> row_of(const Tensor& matrix, int64_t row, int64_t length) {
  std::vector<double> values;
  for (int64_t i = 0; i < length; ++i) values.push_back(matrix.at(row * length + i));
  return values;
}

inline Mutant mutant(std::string name, Mistake wrong) {
  return {
      std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
        const int64_t width = c.dim("aE"), inner = c.dim("aI");
        const Tensor w1 = blocks::elements_of(c, given.get("w1"), {2 * inner, width});
        const Tensor w2 = blocks::elements_of(c, given.get("w2"), {width, inner});
        const auto bias = [&](const char* tensor, int64_t i) {
          return given.get(tensor).absent() ? 0 : given.get(tensor).at(i);
        };
        for (int64_t t = 0; t < c.dim("T"); ++t) {
          const std::vector<double> x = blocks::as_multiplied(c, row_of(given.get("x"), t, width));
          const auto project = [&](int64_t n) {
            double sum = wrong.weight_of_b1 * bias("b1", n);
            for (int64_t e = 0; e < width; ++e) sum += x[static_cast<size_t>(e)] * w1.at(n * width + e);
            return sum;
          };
          std::vector<double> g;
          for (int64_t i = 0; i < inner; ++i) {
            double gate = project(i), up = project(inner + i);
            if (wrong.swaps_halves) std::swap(gate, up);
            g.push_back((wrong.skips_silu ? gate : wrong.forgets_a ? swiglu::logistic(gate) : swiglu::silu(gate)) * up);
            if (has_g(c)) outputs[1](t, i) = g.back();
          }
          g = blocks::as_multiplied(c, std::move(g));
          for (int64_t e = 0; e < width; ++e) {
            double sum = wrong.weight_of_b2 * bias("b2", e);
            for (int64_t i = 0; i < inner / wrong.tile * wrong.tile; ++i)
              sum += g[static_cast<size_t>(i)] * w2.at(wrong.transposes_w2 ? i * width + e : e * inner + i);
            outputs[2](t, e) = sum;
          }
        }
      }};
}

inline std::vector<Mutant> mutants() {
  return {mutant("gate_and_up_swapped", {.swaps_halves = true}),
          mutant("logistic_without_a", {.forgets_a = true}),
          mutant("gate_without_silu", {.skips_silu = true}),
          mutant("w2_transposed", {.transposes_w2 = true}),
          mutant("b1_left_out", {.weight_of_b1 = 0}),
          mutant("b2_added_twice", {.weight_of_b2 = 2}),
          mutant("tail_of_g_dropped", {.tile = 8})};
}

inline Contract contract() {
  return {
      .name = "mlp_swiglu",
      .summary = "h = x W1^T + b1, g_ti = h_ti h_t,aI+i / (1 + exp(-h_ti)), y = g W2^T + b2",
      .dims = {{.name = "aI",
                .meaning = "elements between the products, of the gate and of the other half",
                .boundary = {1, 3, 31, 33, 64, 65, 96},
                .aliases = {"I", "hidden_dim", "intermediate", "intermediate_size", "d_ff", "ffn_dim"}},
               projection::embedding(),
               projection::tokens()},
      .attrs = {{.name = "form",
                 .meaning = "what is given besides y: prefill h and g, token g, fused nothing; the last two have T=1",
                 .choices = {"prefill", "token", "fused"}},
                {.name = "biases", .meaning = "which there are", .choices = {"none", "1", "2", "1,2"}},
                blocks::weights_format("w1"),
                blocks::weights_format("w2"),
                blocks::packed_activations("x and g")},
      .tensors = {blocks::packable({.name = "x",  // (T, aE)
                                    .shape = {"T", "aE"},
                                    .make = make_x,
                                    .aliases = {"inp", "input", "hidden_states"}},
                                   {"w1"}),
                  blocks::in_blocks({.name = "w1",  // (2 aI, aE), or (2 aI, bytes)
                                     .shape = {"2*aI", "aE"},
                                     .derive = derive_w1,
                                     .aliases = {"w_gate_up", "gate_up_proj", "gate_up", "w13"}}),
                  {.name = "b1",  // (2 aI), or absent
                   .shape = {"2*aI"},
                   .dtype = DType::f32,
                   .make = make_values,
                   .aliases = {"b_gate_up"},
                   .absent = absent_unless_listed("biases", "1")},
                  blocks::in_blocks({.name = "w2",  // (aE, aI), or (aE, bytes)
                                     .shape = {"aE", "aI"},
                                     .make = make_factor,
                                     .aliases = {"w_down", "down_proj", "down"}}),
                  {.name = "b2",  // (aE), or absent
                   .shape = {"aE"},
                   .dtype = DType::f32,
                   .make = make_values,
                   .aliases = {"b_down"},
                   .absent = absent_unless_listed("biases", "2")},
                  {.name = "h",  // (T, 2 aI), or absent
                   .role = Role::output,
                   .shape = {"T", "2*aI"},
                   .absent = [](const Case& c) { return !has_h(c); }},
                  {.name = "g",  // (T, aI), or absent
                   .role = Role::output,
                   .shape = {"T", "aI"},
                   .aliases = {"act", "gated"},
                   .absent = [](const Case& c) { return !has_g(c); }},
                  {.name = "y", .role = Role::output, .shape = {"T", "aE"}, .aliases = {"out", "output"}}},  // (T, aE)
      .admits_infinity = false,
      .why_left_out =
          "where f32 has the silu of a far negative gate as 0, an infinite other half gives NaN, and mathematics "
          "infinity",
      .exponentials = true,
      .constraint = refused,
      .adjust = make_acceptable,
      .reference = reference_from([](auto& io) { reference::mlp_swiglu(io); }),
      .roundings = {{"h", "both halves with their biases, stored before silu"},
                    {"g", "silu of the gate times the other half, as it enters the second product"}},
      .multiplies_matrices = true,
      .properties = properties(),
      .mutants = mutants(),
      .flops =
          [](const Case& c) {
            return 6.0 * static_cast<double>(c.dim("T")) * static_cast<double>(c.dim("aE") * c.dim("aI"));
          },
  };
}

}  // namespace assay::ops::mlp_swiglu

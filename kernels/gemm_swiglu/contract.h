// gemm_swiglu: what it means. The gated half of a feed-forward layer in one op: y = silu(x Wgᵀ + bg) · (x Wuᵀ + bu),
// with silu(a) = a / (1 + exp(-a)).
//
// Sums are f32 and what goes through silu is not rounded in between, unless a variant declares that it stores h. Biases
// are f32, and absent together. No finite gate overflows. Infinite data is left out: where a gate is so far below zero
// that f32 has its silu as 0, an infinite other half makes NaN of it, where the mathematics has infinity.
//
// Wg and Wu may each be blocks of a format, and x may go through blocks of q8_k first.
//
// Magnitudes: sums of K products stay below 65504, so that a kernel may store h in f16.
#pragma once

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/blocks/weights.h"
#include "kernels/data/tensors.h"
#include "kernels/properties/rows.h"
#include "kernels/swiglu/problem.h"
#include "reference/gemm_swiglu.h"

namespace assay::ops::gemm_swiglu {

inline void make_values(const Case& c, Rng& rng, Tensor& tensor) {
  constexpr double kLargest = 8;
  apply_fill(c, rng, kLargest / std::pow(std::max(1.0, static_cast<double>(c.dim("K"))), 0.25), tensor);
}

inline void make_weights(const Case& c, Rng& rng, Tensor& w) { make_values(data::not_subnormal(c), rng, w); }

// With biases of order 1 beside sums of sqrt(K) normal products, both are seen.
inline void make_bias(const Case& c, Rng& rng, Tensor& bias) { make_weights(c, rng, bias); }

inline bool has_no_biases(const Case& c) { return c.text("biases") == "0"; }

// Computes the case's gate and other half in double, and y from f(gate, other).
inline Mutant gated_by(std::string name, double (*f)(double gate, double up), double weight_of_biases = 1) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const int64_t outs = c.dim("N"), ins = c.dim("K");
            const Tensor x = blocks::as_multiplied(c, given.get("x"));
            const Tensor wg = blocks::elements_of(c, given.get("wg"), {outs, ins});
            const Tensor wu = blocks::elements_of(c, given.get("wu"), {outs, ins});
            const auto project = [&](int64_t t, int64_t n, const Tensor& w, const char* bias) {
              double sum = c.text("biases") == "1" ? weight_of_biases * given.get(bias).at(n) : 0;
              for (int64_t k = 0; k < ins; ++k) sum += x.at(t * ins + k) * w.at(n * ins + k);
              return sum;
            };
            for (int64_t t = 0; t < c.dim("T"); ++t)
              for (int64_t n = 0; n < outs; ++n) outputs[0](t, n) = f(project(t, n, wg, "bg"), project(t, n, wu, "bu"));
          }};
}

inline std::optional<Error> refused(const Case& c) { return blocks::refused(c, {{"wg", "K"}, {"wu", "K"}}, {"K"}); }

inline void make_acceptable(Case& c) {
  blocks::drop_blocks_of_16_bits(c, {"wg", "wu"});
  blocks::complete(c, "K", blocks::whole_blocks(c, {"wg", "wu"}, true));
}

inline Contract contract() {
  return {
      .name = "gemm_swiglu",
      .summary = "a = x Wg^T + bg, b = x Wu^T + bu, y = a b / (1 + exp(-a))",
      .dims = {{.name = "T",
                .meaning = "tokens",
                .min = 0,
                .boundary = {1, 2, 31, 33, 65},
                .aliases = {"M", "BT", "B", "rows", "num_tokens", "batch_size"}},
               {.name = "N",
                .meaning = "elements of a token's output",
                .min = 0,
                .boundary = {1, 3, 31, 33, 65},
                .aliases = {"I", "OC", "out_features", "intermediate_size", "d_ff"}},
               {.name = "K",
                .meaning = "elements of a token's input",
                .min = 0,
                .boundary = {1, 8, 33, 40, 96, 104},
                .aliases = {"C", "E", "in_features", "hidden_size", "embed_dim"}}},
      .repeats_along = {"T", "N"},
      .attrs = {{.name = "biases", .meaning = "whether there are bg and bu", .choices = {"0", "1"}},
                blocks::weights_format("wg"),
                blocks::weights_format("wu"),
                blocks::packed_activations("x")},
      .tensors = {blocks::packable(
                      {.name = "x", .shape = {"T", "K"}, .make = make_values, .aliases = {"inp", "input"}},  // (T, K)
                      {"wg", "wu"}),
                  blocks::in_blocks({.name = "wg",  // (N, K), or (N, bytes)
                                     .shape = {"N", "K"},
                                     .make = make_weights,
                                     .aliases = {"w_gate", "gate_proj", "w1"}}),
                  blocks::in_blocks({.name = "wu",  // (N, K), or (N, bytes)
                                     .shape = {"N", "K"},
                                     .make = make_weights,
                                     .aliases = {"w_up", "up_proj", "w3"}}),
                  {.name = "bg",
                   .shape = {"N"},
                   .dtype = DType::f32,
                   .make = make_bias,
                   .aliases = {"b_gate"},
                   .absent = has_no_biases},
                  {.name = "bu",
                   .shape = {"N"},
                   .dtype = DType::f32,
                   .make = make_bias,
                   .aliases = {"b_up"},
                   .absent = has_no_biases},
                  {.name = "y", .role = Role::output, .shape = {"T", "N"}, .aliases = {"out", "output"}}},  // (T, N)
      .admits_infinity = false,
      .why_left_out =
          "where f32 has the silu of a far negative gate as 0, an infinite other half gives NaN, and mathematics "
          "infinity",
      .out_of_reach = {{"sum_size", "overflows f16", "sums are bounded, so that a kernel may store h in f16"}},
      .constraint = refused,
      .adjust = make_acceptable,
      .reference = reference_from([](auto& io) { reference::gemm_swiglu(io); }),
      .roundings = {{"h", "both projections with their biases, stored before silu"}},
      .multiplies_matrices = true,
      .properties = {properties::rows_are_independent({"x"}, {"y"})},
      .mutants = {gated_by("gate_and_up_swapped", [](double gate, double up) { return gate * swiglu::silu(up); }),
                  gated_by("logistic_without_a", [](double gate, double up) { return swiglu::logistic(gate) * up; }),
                  gated_by(
                      "biases_left_out", [](double gate, double up) { return swiglu::silu(gate) * up; }, 0),
                  gated_by("gate_without_silu", [](double gate, double up) { return gate * up; })},
      .flops =
          [](const Case& c) {
            return 4.0 * static_cast<double>(c.dim("T")) * static_cast<double>(c.dim("N")) *
                   static_cast<double>(c.dim("K"));
          },
  };
}

}  // namespace assay::ops::gemm_swiglu

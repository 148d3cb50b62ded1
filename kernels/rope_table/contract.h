// rope_table: what it means. The tables that rope kernels of an engine read: cosines and sines of every position's
// angles.
//
// The angle's precision is part of the contract, as that of rope: the position is rounded to f32, divided by the factor
// (which stretches the positions of a model that was trained on fewer; 1 for none) in one f32 division, and multiplied
// by the f32 frequency, rounded once. Sine and cosine are those of that number, to CUDA's 2 ulp at any size. A kernel
// that computes base^(-2i/D) itself in f32 is another op: at position 131,072 the 4 ulp of its power are 0.03 rad.
//
// Frequencies are those of a model, or the case's fill up to 1e6, infinite and NaN ones too. Tables are f32.
#pragma once

#include <cmath>
#include <numbers>

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "reference/rope_table.h"

namespace assay::ops::rope_table {

inline std::optional<Error> odd_dim(const Case& c) {
  if (c.dim("D") % 2 == 0) return std::nullopt;
  return Error{fmt::format("D={} is odd, and elements turn in pairs", c.dim("D")),
               fmt::format("use an even D, such as D={}", c.dim("D") + 1)};
}

inline ShapeText table_shape(const Case& c) { return {"max_seq", std::to_string(c.dim("D") / 2)}; }

inline void make_inv_freq(const Case& c, Rng& rng, Tensor& inv_freq) {
  if (c.text("base") == "fill") return apply_fill(c, rng, 1e6, inv_freq);
  for (int64_t i = 0; i < inv_freq.count(); ++i)
    inv_freq.set(i, std::pow(c.real("base"), -2.0 * static_cast<double>(i) / static_cast<double>(c.dim("D"))));
}

// Both tables from the angle of position t and a frequency.
inline Mutant with_angle(std::string name, std::function<double(int64_t t, float factor, double inv_freq)> angle) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor& inv_freq = given.get("inv_freq");
            const auto factor = static_cast<float>(c.real("factor"));
            for (int64_t t = 0; t < c.dim("max_seq"); ++t)
              for (int64_t i = 0; i < inv_freq.count(); ++i) {
                const double a = angle(t, factor, inv_freq.at(i));
                outputs[0](t, i) = std::cos(a);
                outputs[1](t, i) = std::sin(a);
              }
          }};
}

// The values of __cosf and __sinf for angles beyond pi, which they do not reduce: their error grows with the angle. Up
// to pi it is bounded, and next to the budget of two functions that err by 2 ulp.
inline double fast_angle(int64_t t, float factor, double inv_freq) {
  const double angle = reference::rope_angle(t, factor, inv_freq);
  return std::fabs(angle) <= std::numbers::pi ? angle : angle + 0x1p-21 * std::fabs(angle);
}

inline void swap_tables(const Case&, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  std::swap(outputs[0].values, outputs[1].values);
}

inline std::optional<std::string> off_the_circle(const PropertyRun& run) {
  const Tensor &cosines = run.got.get("cos"), &sines = run.got.get("sin");
  const std::vector<double> c_budget = run.budget("cos"), s_budget = run.budget("sin");
  for (int64_t i = 0; i < cosines.count(); ++i) {
    const double c = cosines.at(i), s = sines.at(i), length = std::hypot(c, s);
    if (!std::isfinite(length)) continue;  // the reference's question
    const double allowed = std::hypot(c_budget[static_cast<size_t>(i)], s_budget[static_cast<size_t>(i)]) + 0x1p-50;
    if (!(std::fabs(length - 1) <= allowed))
      return fmt::format("cos and sin at {} have length {:.9g} instead of 1 ± {:.3g}", index_text(cosines.shape(), i),
                         length, allowed);
  }
  return std::nullopt;
}

inline std::optional<std::string> depends_on_length(const PropertyRun& run) {
  const int64_t positions = run.c.dim("max_seq"), fewer = positions / 2, half = run.c.dim("D") / 2;
  if (fewer == 0) return std::nullopt;
  Case shorter = run.c;
  shorter.set("max_seq", std::to_string(fewer));
  Tensors given;
  for (const Tensor& tensor : run.given) {
    if (tensor.role() == Role::input)
      given.push_back(tensor);
    else
      given.emplace_back(tensor.name(), tensor.dtype(), tensor.role(), std::vector{fewer, half});
  }
  const Result<Tensors> got = run.run(shorter, std::move(given));
  if (!got) return got.error().what;
  for (const char* name : {"cos", "sin"}) {
    Tensor begin(name, DType::f32, Role::output, {fewer, half});
    for (int64_t i = 0; i < begin.count(); ++i) begin.set_bits(i, run.got.get(name).bits(i));
    if (auto seen = properties::first_disagreement(begin, got->get(name), run.budget(name))) return seen;
  }
  return std::nullopt;
}

inline Contract contract() {
  return {
      .name = "rope_table",
      .summary = "a_ti = f32(f32(t) / factor) inv_freq_i in f32; cos_ti = cos a_ti, sin_ti = sin a_ti",
      .dims = {{.name = "max_seq",
                .meaning = "positions, from 0",
                .min = 0,
                .aliases = {"T", "S", "seq_len", "max_seq_len", "max_position", "positions"}},
               {.name = "D",
                .meaning = "elements of a head, even",
                .min = 2,
                .boundary = {6, 48, 80, 96, 112, 192},
                .aliases = {"HS", "HD", "head_dim", "head_size", "rot_dim"}}},
      .attrs = {{.name = "factor",
                 .meaning = "what positions are divided by",
                 .choices = {"1", "2", "8", "2.5", "40"},
                 .aliases = {"scaling", "scaling_factor", "rope_factor"}},
                {.name = "base",
                 .meaning = "inv_freq_i is base^(-2i/D), or the fill",
                 .choices = {"10000", "500000", "fill"}}},
      .tensors = {{.name = "inv_freq",  // (D/2)
                   .make = make_inv_freq,
                   .shape_by = [](const Case& c) { return ShapeText{std::to_string(c.dim("D") / 2)}; },
                   .aliases = {"freqs", "inv_freqs", "theta"}},
                  {.name = "cos",  // (max_seq, D/2)
                   .role = Role::output,
                   .shape_by = table_shape,
                   .aliases = {"cosines", "cos_table", "cos_cache"}},
                  {.name = "sin",  // (max_seq, D/2)
                   .role = Role::output,
                   .shape_by = table_shape,
                   .aliases = {"sines", "sin_table", "sin_cache"}}},
      .dtypes = {DType::f32},
      .no_library = "no call of cuBLAS, cuDNN or CUB makes a table of angles",
      .constraint = odd_dim,
      .adjust = [](Case& c) { c.set("D", std::to_string(c.dim("D") / 2 * 2)); },
      .reference = reference_from([](auto& io) { reference::rope_table(io); }),
      .properties = {{.name = "on_the_circle",
                      .states = "cos² + sin² is 1, within the budgets of both",
                      .broken = off_the_circle},
                     {.name = "rows_do_not_depend_on_max_seq",
                      .states = "a table of half as many positions is the first half",
                      .broken = depends_on_length}},
      .mutants = {with_angle("factor_left_out",
                             [](int64_t t, float, double inv_freq) { return reference::rope_angle(t, 1, inv_freq); }),
                  with_angle("multiplied_by_factor",
                             [](int64_t t, float factor, double inv_freq) {
                               return reference::rope_angle(t, 1 / factor, inv_freq);
                             }),
                  with_angle("counted_from_one",
                             [](int64_t t, float factor, double inv_freq) {
                               return reference::rope_angle(t + 1, factor, inv_freq);
                             }),
                  {"tables_swapped", swap_tables},
                  with_angle("fast_functions", fast_angle)},
      .flops = [](const Case& c) { return 2.0 * static_cast<double>(c.dim("max_seq") * c.dim("D")); },
  };
}

}  // namespace assay::ops::rope_table

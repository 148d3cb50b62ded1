// rope: what it means. Rotary position embedding: element d of a head pairs with d + D/2, the rotate-half form, or with
// its neighbour, as `pairs` says. With alias=out:x the rows turn where they are.
//
// The angle's precision is part of the contract, because f32 angles lose digits as positions grow: the position
// t + pos_offset is rounded to f32, multiplied by the f32 frequency, and the product is rounded to f32 once. Sine and
// cosine are those of that number, to CUDA's 2 ulp for sinf and cosf at any size: a kernel that reduces large angles
// badly, or uses the fast intrinsics on them, is wrong. So is one that gets a better angle some other way.
//
// Frequencies are those of a model, base^(-2i/D), or the case's fill up to 1e6, infinite and NaN ones too. A kernel may
// be given the base and compute them itself, which costs some units in the last place of every angle.
#pragma once

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "reference/rope.h"

namespace assay::ops::rope {

inline std::optional<Error> odd_dim(const Case& c) {
  if (c.dim("D") % 2 == 0) return std::nullopt;
  return Error{"D is odd, and elements turn in pairs", "use an even D"};
}

inline void make_even(Case& c) { c.set("D", std::to_string(c.dim("D") / 2 * 2)); }

inline void make_inv_freq(const Case& c, Rng& rng, Tensor& inv_freq) {
  if (c.text("base") == "fill") return apply_fill(c, rng, 1e6, inv_freq);
  for (int64_t i = 0; i < inv_freq.count(); ++i)
    inv_freq.set(i, std::pow(c.real("base"), -2.0 * static_cast<double>(i) / static_cast<double>(c.dim("D"))));
}

inline bool pairs_neighbours(const Case& c) { return c.text("pairs") == "neighbours"; }

// Calls f(first, second, frequency) with the indices of every pair of elements and of the frequency that turns it.
template <class F>
void for_each_pair(const Case& c, bool neighbours, F f) {
  const int64_t half = c.dim("D") / 2;
  for (int64_t head = 0; head < c.dim("T") * c.dim("H"); ++head)
    for (int64_t d = 0; d < half; ++d) {
      const int64_t first = head * 2 * half + (neighbours ? 2 * d : d);
      f(first, neighbours ? first + 1 : first + half, d);
    }
}

// The place where element i went from its pair's length by more than the budgets of both elements explain.
inline std::optional<std::string> changed_norm(const PropertyRun& run) {
  const Tensor &x = run.given.get("x"), &out = run.got.get("out");
  const std::vector<double> budget = run.budget("out");
  std::optional<std::string> seen;
  for_each_pair(run.c, pairs_neighbours(run.c), [&](int64_t first, int64_t second, int64_t) {
    const double before = std::hypot(x.at(first), x.at(second)), after = std::hypot(out.at(first), out.at(second));
    if (seen || !std::isfinite(before) || !std::isfinite(after)) return;  // the reference's question
    const double allowed = std::hypot(budget[static_cast<size_t>(first)], budget[static_cast<size_t>(second)]);
    if (!(std::fabs(after - before) <= allowed + 0x1p-50 * before))  // of the square roots here, in double
      seen = fmt::format("out{} and its partner have length {:.9g} instead of {:.9g} ± {:.3g}",
                         index_text(out.shape(), first), after, before, allowed);
  });
  return seen;
}

// Turns `out` back. The first run's errors, at most B = b_first + b_second together, are turned and come through whole;
// the second run works on a pair of the same length, so its own errors are at most B, except for the output's rounding,
// whose step may be twice as large where an element is: 3 B in all.
inline std::optional<std::string> not_undone(const PropertyRun& run) {
  const Tensor &x = run.given.get("x"), &out = run.got.get("out");
  const std::vector<double> budget = run.budget("out");
  Case back = run.c;
  back.set("direction", run.c.text("direction") == "forward" ? "backward" : "forward");
  Tensors given = run.given;
  for (int64_t i = 0; i < x.count(); ++i) given.get("x").set_bits(i, out.bits(i));
  const Result<Tensors> got = run.run(back, std::move(given));
  if (!got) return got.error().what;
  const Tensor& undone = got->get("out");
  std::optional<std::string> seen;
  for_each_pair(run.c, pairs_neighbours(run.c), [&](int64_t first, int64_t second, int64_t) {
    const double allowed = 3 * (budget[static_cast<size_t>(first)] + budget[static_cast<size_t>(second)]);
    for (const int64_t i : {first, second}) {
      if (seen || !std::isfinite(out.at(first)) || !std::isfinite(out.at(second))) return;
      if (std::fabs(x.at(i)) + allowed > max_finite(x.dtype())) continue;  // may overflow on its way back
      if (!(std::fabs(undone.at(i) - x.at(i)) <= allowed))
        seen = fmt::format("out{} is {:.9g} there and back and was {:.9g} ± {:.3g}", index_text(x.shape(), i),
                           undone.at(i), x.at(i), allowed);
    }
  });
  return seen;
}

// The last token alone, at the position that it had.
inline std::optional<std::string> moved_by_its_row(const PropertyRun& run) {
  const int64_t last = run.c.dim("T") - 1, row = run.c.dim("H") * run.c.dim("D");
  if (last < 1) return std::nullopt;
  Case alone = run.c;
  alone.set("T", "1");
  alone.set("pos_offset", std::to_string(run.c.dim("pos_offset") + last));
  const auto last_row = [&](const Tensor& tensor) {
    Tensor cut(tensor.name(), tensor.dtype(), tensor.role(), {1, row});
    for (int64_t i = 0; i < row; ++i) cut.set_bits(i, tensor.bits(last * row + i));
    return cut;
  };
  Tensors given;
  for (const Tensor& tensor : run.given) given.push_back(tensor.name() == "inv_freq" ? tensor : last_row(tensor));
  const Result<Tensors> got = run.run(alone, std::move(given));
  if (!got) return got.error().what;
  const std::vector<double> budget = run.budget("out");
  return properties::first_disagreement(last_row(run.got.get("out")), got->get("out"),
                                        {budget.end() - row, budget.end()});
}

// `outputs` from other pairs, or with the sine's sign or the position changed.
struct Turn {
  bool other_pairs = false;
  double sine_sign = 1;
  bool with_offset = true;
};

inline Mutant turned(std::string name, Turn how) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &x = given.get("x"), &inv_freq = given.get("inv_freq");
            const int64_t row = c.dim("H") * c.dim("D");
            const double sign = c.text("direction") == "backward" ? -how.sine_sign : how.sine_sign;
            for_each_pair(c, pairs_neighbours(c) != how.other_pairs, [&](int64_t a, int64_t b, int64_t d) {
              const int64_t position = a / row + (how.with_offset ? c.dim("pos_offset") : 0);
              const double angle = static_cast<float>(position) * static_cast<float>(inv_freq.at(d));
              const double cosine = std::cos(angle), sine = sign * std::sin(angle);
              outputs[0][a] = x.at(a) * cosine - x.at(b) * sine;
              outputs[0][b] = x.at(b) * cosine + x.at(a) * sine;
            });
          }};
}

inline Contract contract() {
  return {
      .name = "rope",
      .summary =
          "a = f32(t + pos_offset) inv_freq_i in f32; out_d = x_d cos a - x_e sin a, out_e = x_e cos a + x_d sin a for "
          "pair i < D/2 of every head, which is d = i, e = i + D/2 or d = 2i, e = 2i + 1; backward: sin a changes its "
          "sign",
      .dims = {{.name = "T", .meaning = "tokens", .min = 0, .aliases = {"N", "S", "seq_len", "num_tokens", "tokens"}},
               {.name = "H", .meaning = "heads", .aliases = {"NH", "heads", "num_heads", "n_head", "n_heads"}},
               {.name = "D",
                .meaning = "elements of a head, even",
                .min = 2,
                .boundary = {6, 48, 80, 96, 112, 192},
                .aliases = {"HS", "HD", "head_dim", "head_size", "rot_dim"}}},
      .repeats_along = {"H"},
      .attrs = {{.name = "pos_offset",
                 .meaning = "position of row 0",
                 .choices = {"0", "1", "4095", "1000000"},
                 .aliases = {"pos", "start_pos", "position", "offset", "position_offset"}},
                {.name = "direction", .meaning = "which way pairs turn", .choices = {"forward", "backward"}},
                {.name = "base",
                 .meaning = "inv_freq_i is base^(-2i/D), or the fill",
                 .choices = {"10000", "500000", "fill"},
                 .of_input = "inv_freq"},
                {.name = "pairs",
                 .meaning = "which elements are a pair: i with i + D/2, or 2i with 2i + 1",
                 .choices = {"half", "neighbours"},
                 .optional = true},
                {.name = kAliasAttr,
                 .meaning = "whether rows turn where they are",
                 .choices = {"none", "out:x"},
                 .optional = true}},
      .numbers = {{.name = "theta",
                   .expression = "base == \"fill\" ? 10000 : std::stod(base)",
                   .aliases = {"base", "rope_theta", "rope_base", "freq_base", "theta_base", "rotary_base",
                               "base_freq"}}},
      .tensors = {{.name = "x", .shape = {"T", "H*D"}, .aliases = {"q", "inp"}},  // (T, H*D)
                  {.name = "inv_freq",                                            // (D/2)
                   .dtype = DType::f32,
                   .make = make_inv_freq,
                   .shape_by = [](const Case& c) { return ShapeText{std::to_string(c.dim("D") / 2)}; },
                   .aliases = {"freqs", "inv_freqs", "theta"}},
                  {.name = "out", .role = Role::output, .shape = {"T", "H*D"}, .aliases = {"y", "dst"}}},  // (T, H*D)
      .constraint = odd_dim,
      .adjust = make_even,
      .reference = reference_from([](auto& io) { reference::rope(io); }),
      .roundings = {{"inv_freq", "the frequencies, computed in f32 from their base", true},
                    {"cos", "the cosines, stored"},
                    {"sin", "the sines, stored"},
                    {"products", "each of the two products of an element, stored before they are added up"}},
      .properties = {{.name = "keeps_lengths",
                      .states = "a pair is as long after its turn as before, within the budgets of its elements",
                      .broken = changed_norm},
                     {.name = "undone_by_the_other_direction",
                      .states = "turning out the other way gives x, within three budgets of its pair",
                      .broken = not_undone},
                     {.name = "only_the_position_counts",
                      .states = "the last token, alone and with its position as pos_offset, gives the same",
                      .broken = moved_by_its_row}},
      .mutants = {turned("other_pairs", {.other_pairs = true}), turned("sine_sign_flipped", {.sine_sign = -1}),
                  turned("offset_left_out", {.with_offset = false})},
      .flops = [](const Case& c) { return 3.0 * static_cast<double>(c.dim("T") * c.dim("H") * c.dim("D")); },
  };
}

}  // namespace assay::ops::rope

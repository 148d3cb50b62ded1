// rope_qk: what it means. Rotary position embedding of a layer's queries and keys, with tables of cosines and sines.
//
// q is [H, T, ad] and k [HK, k_stride, ad], where k may be a cache: its slots from T on keep their bits. Token t turns
// by row pos_offset + t of the tables. Engines differ in which lanes are a pair, so `pairs` is never implied. backward
// is the turn by the negative angle, which takes the gradients of what was turned to those of what was given.
//
// With alias=q_out:q,k_out:k the rows turn where they are and their padding stays as it is; into other buffers the
// padding is written as 0. Padding is never read: it holds NaN. Tables are f32, those of a model or the case's fill.
#pragma once

#include <cmath>

#include "kernels/data/tensors.h"
#include "kernels/heads/problem.h"
#include "kernels/rope_qk/properties.h"
#include "reference/rope_qk.h"

namespace assay::ops::rope_qk {

inline bool in_place(const Case& c) { return c.text("alias") != "none"; }

inline std::optional<Error> wrong_sizes(const Case& c) {
  if (auto error = heads::wrong_heads(c)) return error;
  const int64_t tokens = c.dim("T"), k_stride = c.dim("k_stride"), dim = heads::head_dim(c);
  if (dim % 2 != 0)
    return Error{
        fmt::format("D={} (ad={} less pad={}) is odd, and elements turn in pairs", dim, c.dim("ad"), c.dim("pad")),
        "make ad - pad even"};
  if (k_stride < tokens)
    return Error{fmt::format("k_stride={} slots of a head do not hold T={} tokens", k_stride, tokens),
                 fmt::format("take at least k_stride={}", tokens)};
  if (c.dim("pos_offset") + tokens > c.dim("max_seq"))
    return Error{fmt::format("T={} tokens from pos_offset={} on are past tables of max_seq={} positions", tokens,
                             c.dim("pos_offset"), c.dim("max_seq")),
                 "make max_seq at least pos_offset + T"};
  return std::nullopt;
}

inline void make_sizes_right(Case& c) {
  heads::make_heads_right(c);
  if (heads::head_dim(c) % 2 != 0) c.set("pad", std::to_string(c.dim("pad") > 0 ? c.dim("pad") - 1 : 1));
  c.set("k_stride", std::to_string(std::max(c.dim("k_stride"), c.dim("T"))));
  c.set("max_seq", std::to_string(std::max(c.dim("max_seq"), c.dim("T"))));
  c.set("pos_offset", std::to_string(std::min(c.dim("pos_offset"), c.dim("max_seq") - c.dim("T"))));
}

inline ShapeText table_shape(const Case& c) { return {"max_seq", std::to_string(heads::head_dim(c) / 2)}; }

// `of`: cosine or sine. Subnormal tables would make zeros of everything, and those could hide anything.
inline MakeTensor make_table(double (*of)(double)) {
  return [of](const Case& c, Rng& rng, Tensor& table) {
    if (c.text("tables") == "fill") return apply_fill(data::not_subnormal(c), rng, 1, table);
    const int64_t half = heads::head_dim(c) / 2;
    for (int64_t i = 0; i < table.count(); ++i) {
      const double frequency = std::pow(10000.0, -static_cast<double>(i % half) / static_cast<double>(half));
      table.set(i, of(static_cast<double>(i / half) * frequency));
    }
  };
}

// Cosines and sines of the fill may be some units large, and their products with x stay finite in f32.
inline void make_rows(const Case& c, Rng& rng, Tensor& x) {
  apply_fill(c, rng, c.text("tables") == "fill" ? 1e30 : 0, x);
}

inline TensorSpec table(std::string name, double (*of)(double), std::vector<std::string> aliases) {
  return {.name = std::move(name),
          .dtype = DType::f32,
          .make = make_table(of),
          .shape_by = table_shape,
          .aliases = std::move(aliases)};
}

inline Regions dead_of_q(const Case& c) {
  Regions regions;
  heads::mark_pads(regions, c, c.dim("H") * c.dim("T"), Region::dead);
  return regions;
}

// In place, later slots hold data that stays.
inline Regions dead_of_k(const Case& c) {
  Regions regions;
  heads::mark_pads(regions, c, c.dim("HK") * c.dim("k_stride"), Region::dead);
  if (!in_place(c)) heads::mark_later_slots(regions, c, c.dim("HK"), c.dim("k_stride"), Region::dead);
  return regions;
}

inline Regions kept_of_q(const Case& c) {
  Regions regions;
  if (in_place(c)) heads::mark_pads(regions, c, c.dim("H") * c.dim("T"), Region::kept);
  return regions;
}

inline Regions kept_of_k(const Case& c) {
  Regions regions;
  if (in_place(c)) heads::mark_pads(regions, c, c.dim("HK") * c.dim("k_stride"), Region::kept);
  heads::mark_later_slots(regions, c, c.dim("HK"), c.dim("k_stride"), Region::kept);
  return regions;
}

// A mutant: the reference with other numbers.
inline Mutant mistake(std::string name, void (*change)(const Case&, reference::RopeTurn&)) {
  return {std::move(name), [change](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            reference::RopeTurn turn = reference::rope_turn(c);
            change(c, turn);
            if (turn.position + c.dim("T") <= c.dim("max_seq"))
              outputs = reference_run<double>([&](auto& io) { reference::rope_qk(io, turn); })(c, given);
          }};
}

// Where a head lies is half of what can go wrong here: cases have many of them.
inline DimSpec all_of(DimSpec heads) {
  heads.repeats = false;
  return heads;
}

inline void leave_keys(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t lanes = c.dim("ad");
  for (int64_t row = 0; row < c.dim("HK") * c.dim("k_stride"); ++row)
    for (int64_t d = 0; row % c.dim("k_stride") < c.dim("T") && d < heads::head_dim(c); ++d)
      outputs[1][row * lanes + d] = given.get("k").at(row * lanes + d);
}

inline Contract contract() {
  return {
      .name = "rope_qk",
      .summary =
          "D = ad - pad; of every row t of q and k, pair (a, b) becomes (a cos - b sin, b cos + a sin) with row "
          "pos_offset + t of the tables; backward: sin changes its sign",
      .dims = {heads::tokens(0),
               all_of(heads::query_heads()),
               all_of(heads::key_heads()),
               heads::row_stride(2),
               heads::padding(),
               {.name = "k_stride",
                .meaning = "slots of a head of k",
                .aliases = {"capacity", "kv_stride", "cache_len", "kv_capacity"}},
               {.name = "max_seq",
                .meaning = "positions of the tables",
                .usual_max = 512,
                .aliases = {"max_seq_len", "max_position", "positions"}},
               {.name = "pos_offset",
                .meaning = "position of token 0",
                .min = 0,
                .boundary = {1, 31},
                .aliases = {"pos", "start_pos", "position", "offset", "position_offset"}}},
      .repeats_along = {"H"},
      .attrs = {{.name = "direction", .meaning = "which way pairs turn", .choices = {"forward", "backward"}},
                {.name = "pairs",
                 .meaning = "which lanes are a pair: i with i + D/2, or 2i with 2i + 1",
                 .choices = {"half", "neighbours"}},
                {.name = "tables",
                 .meaning = "cosines and sines of a model's angles, of base 10000, or the fill",
                 .choices = {"model", "fill"}},
                {.name = "alias",
                 .meaning = "whether rows turn where they are",
                 .choices = {"none", "q_out:q,k_out:k"}}},
      .tensors =
          {{.name = "q",
            .shape = {"H", "T", "ad"},
            .make = make_rows,
            .aliases = {"query", "dq_in"},
            .regions = dead_of_q},
           {.name = "k",
            .shape = {"HK", "k_stride", "ad"},
            .make = make_rows,
            .aliases = {"key", "dk_in"},
            .regions = dead_of_k},
           table("cos", std::cos, {"cosines", "cos_table", "cos_cache"}),  // (max_seq, D/2)
           table("sin", std::sin, {"sines", "sin_table", "sin_cache"}),    // (max_seq, D/2)
           {.name = "q_out", .role = Role::output, .shape = {"H", "T", "ad"}, .aliases = {"dq"}, .regions = kept_of_q},
           {.name = "k_out",
            .role = Role::output,
            .shape = {"HK", "k_stride", "ad"},
            .aliases = {"dk"},
            .regions = kept_of_k}},
      .constraint = wrong_sizes,
      .adjust = make_sizes_right,
      .reference = reference_from([](auto& io) { reference::rope_qk(io, reference::rope_turn(io.c())); }),
      .roundings = {{"cos", "the cosines, in 16 bits"},
                    {"sin", "the sines, in 16 bits"},
                    {"products", "each of the two products of an element, stored before they are added up"}},
      .properties = {{.name = "undone_by_the_other_direction",
                      .states = "turning the outputs the other way gives q and k times cos² + sin²",
                      .broken = not_undone},
                     {.name = "only_the_position_counts",
                      .states =
                          "the last token alone, in buffers of one slot and with its position as pos_offset, gives "
                          "the same",
                      .broken = moved_by_its_place}},
      .mutants = {mistake("other_pairs", [](const Case&, auto& turn) { turn.neighbours = !turn.neighbours; }),
                  mistake("turned_the_other_way", [](const Case&, auto& turn) { turn.sine_sign = -turn.sine_sign; }),
                  mistake("offset_left_out", [](const Case&, auto& turn) { turn.position = 0; }),
                  mistake("position_off_by_one", [](const Case&, auto& turn) { ++turn.position; }),
                  {"keys_left_as_they_are", leave_keys}},
      .flops =
          [](const Case& c) {
            return 3.0 * static_cast<double>((c.dim("H") + c.dim("HK")) * c.dim("T") * heads::head_dim(c));
          },
  };
}

}  // namespace assay::ops::rope_qk

// The common part of the contracts of a transformer layer: dims, weights with padding, the tables of its rotary
// embedding.
//
// Three widths have padding: rows of aE elements, heads of ad and the MLP's aI between its products, of which the last
// padE, padD and padI do not count. Weights and biases are 0 there, so every product leaves 0 there too, whatever it
// sums over. x's padding is NaN, and none of it may reach an element that counts.
//
// Weights are scaled by the root of the length of their sums, as those of models are: then scores have a spread of
// order 1, and no softmax is decided by a rounding.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/composite.h"
#include "kernels/blocks/weights.h"

namespace assay::ops::layer {

inline constexpr double kLargest = 4;  // element of x and gamma; of a weight, over the root of its sum's length

// The elements of a width that count.
inline int64_t row_dim(const Case& c) { return c.dim("aE") - c.dim("padE"); }
inline int64_t head_dim(const Case& c) { return c.dim("ad") - c.dim("padD"); }
inline int64_t inner_dim(const Case& c) { return c.dim("aI") - c.dim("padI"); }

inline DimSpec tokens() {
  return {.name = "T", .meaning = "tokens", .boundary = {1, 2, 31, 33, 65}, .aliases = {"S", "seq_len", "num_tokens"}};
}

inline DimSpec padding(std::string name, std::string of) {
  return {.name = std::move(name),
          .meaning = "elements of padding at the end of " + std::move(of),
          .min = 0,
          .max = 255,
          .usual_max = 16};
}

// Those of the widths and heads, after a layer's own.
inline std::vector<DimSpec> with_widths(std::vector<DimSpec> dims) {
  const std::vector<DimSpec> widths = {
      {.name = "H", .meaning = "query heads", .max = 1 << 16, .boundary = {1, 2, 3, 9, 14}, .usual_max = 16},
      {.name = "HK", .meaning = "key and value heads", .max = 1 << 16, .boundary = {1, 2, 3}, .usual_max = 8},
      {.name = "ad",
       .meaning = "elements of a head, padding included",
       .min = 2,
       .max = 1 << 16,
       .boundary = {8, 64, 80, 96, 128},
       .usual_max = 128},
      padding("padD", "a head"),
      {.name = "aE", .meaning = "elements of a token's row, padding included", .boundary = {7, 33, 64, 576, 896}},
      padding("padE", "a row"),
      {.name = "aI", .meaning = "elements between the products of the MLP, padding included", .boundary = {7, 33, 64}},
      padding("padI", "what is between them")};
  dims.insert(dims.end(), widths.begin(), widths.end());
  return dims;
}

inline std::vector<AttrSpec> attributes() {
  return {{.name = "rope", .meaning = "whether queries and keys turn by their positions", .choices = {"0", "1"}},
          {.name = "pairs",
           .meaning = "which lanes turn together: i with i + D/2, or 2i with 2i + 1",
           .choices = {"half", "neighbours"}},
          {.name = "biases", .meaning = "whether the four projections have them", .choices = {"0", "1"}},
          {.name = "eps", .meaning = "added to the mean squares of both norms", .choices = {"1e-5", "1e-6"}}};
}

inline std::optional<Error> wrong_widths(const Case& c) {
  for (const auto& [width, pad] : {std::pair("aE", "padE"), {"ad", "padD"}, {"aI", "padI"}})
    if (c.dim(pad) >= c.dim(width))
      return Error{fmt::format("{}={} is all of {}={}", pad, c.dim(pad), width, c.dim(width)),
                   fmt::format("make {} smaller than {}", pad, width)};
  return std::nullopt;
}

inline void make_widths_right(Case& c) {
  c.set("H", std::to_string(std::max<int64_t>(1, c.dim("H") / c.dim("HK")) * c.dim("HK")));
  for (const auto& [width, pad] : {std::pair("aE", "padE"), {"ad", "padD"}, {"aI", "padI"}})
    c.set(pad, std::to_string(std::min(c.dim(pad), c.dim(width) - 1)));
  if (c.text("rope") == "1" && head_dim(c) % 2 != 0)
    c.set("padD", std::to_string(c.dim("padD") > 0 ? c.dim("padD") - 1 : 1));
}

// The elements of a width that repeats along an axis.
struct Lanes {
  int64_t stride, own;
  bool has(int64_t i) const { return i % stride < own; }
};

inline Lanes row(const Case& c) { return {c.dim("aE"), row_dim(c)}; }
inline Lanes head(const Case& c) { return {c.dim("ad"), head_dim(c)}; }
inline Lanes inner(const Case& c) { return {c.dim("aI"), inner_dim(c)}; }

// Products of two subnormal numbers are 0, and zeros could hide anything: beside subnormal x, the others are normal.
// With subnormal weights, and narrow layers have few, all that steps hand on would be roundings in steps of the least
// number. Beside sorted x and rows of one value they are normal, too: with weights of that kind all products of a row
// have one sign, and a norm's error, which is one for the row, adds up in step; the whole's budget carries variances.
// Steps have such weights.
inline void make_normal(const Case& c, Rng& rng, double magnitude, Tensor& tensor) {
  Case filled = c;
  for (const char* fill : {"subnormal", "subnormal_among", "ascending", "descending", "lowest_rows"})
    if (c.fill == fill) filled.fill = "normal";
  apply_fill(filled, rng, magnitude, tensor);
}

inline void make_x(const Case& c, Rng& rng, Tensor& x) { apply_fill(blocks::with_packable_fill(c), rng, kLargest, x); }

// One row in two is so small that eps is as large as its mean square: beside mean squares of order 1 an eps is lost in
// the roundings of all that follows.
inline void make_x_with_small_rows(const Case& c, Rng& rng, Tensor& x) {
  constexpr double kSmall = 0x1p-8;
  make_x(c, rng, x);
  if (c.fill == "subnormal") return;  // they would become zeros
  Rng rows = Rng::stream(c.seed, "x/small");
  for (int64_t first = 0; first < x.count(); first += c.dim("aE")) {
    if (rows.below(2) == 0) continue;
    for (int64_t i = first; i < first + c.dim("aE"); ++i) x.set(i, kSmall * x.at(i));
  }
}

inline void make_gamma(const Case& c, Rng& rng, Tensor& gamma) { make_normal(c, rng, kLargest, gamma); }

// A matrix whose rows give elements of `outs` from sums over `ins`, or a bias, which has one element of each.
inline MakeTensor make_weights(Lanes (*outs)(const Case&), Lanes (*ins)(const Case&)) {
  return [=](const Case& c, Rng& rng, Tensor& weights) {
    make_normal(c, rng, kLargest, weights);
    const Lanes out = outs(c), in = ins ? ins(c) : Lanes{1, 1};
    const int64_t cols = ins ? weights.shape().back() : 1;
    const double terms = static_cast<double>(cols / in.stride * in.own);
    const double scale = std::exp2(-std::ceil(std::log2(terms) / 2));
    for (int64_t i = 0; i < weights.count(); ++i)
      weights.set(i, out.has(i / cols) && in.has(i % cols) ? scale * weights.at(i) : 0);
  };
}

inline TensorSpec weights(std::string name, ShapeText shape, Lanes (*outs)(const Case&), Lanes (*ins)(const Case&)) {
  return {.name = std::move(name), .shape = std::move(shape), .make = make_weights(outs, ins)};
}

inline TensorSpec bias(std::string name, ShapeText shape, Lanes (*outs)(const Case&)) {
  return {.name = std::move(name),
          .shape = std::move(shape),
          .dtype = DType::f32,
          .make = make_weights(outs, nullptr),
          .absent = [](const Case& c) { return c.text("biases") == "0"; }};
}

inline TensorSpec gamma(std::string name) {
  return {.name = std::move(name), .make = make_gamma, .shape_by = [](const Case& c) {
            return ShapeText{std::to_string(row_dim(c))};
          }};
}

// cos or sin of a model's angles, for positions 0 … max_seq-1.
inline TensorSpec table(std::string name, double (*of)(double)) {
  const auto make = [of](const Case& c, Rng&, Tensor& table) {
    const int64_t half = head_dim(c) / 2;
    for (int64_t i = 0; i < table.count(); ++i) {
      const double frequency = std::pow(10000.0, -static_cast<double>(i % half) / static_cast<double>(half));
      table.set(i, of(static_cast<double>(i / half) * frequency));
    }
  };
  return {.name = std::move(name),
          .dtype = DType::f32,
          .make = make,
          .shape_by =
              [](const Case& c) {
                return ShapeText{"max_seq", std::to_string(head_dim(c) / 2)};
              },
          .absent = [](const Case& c) { return c.text("rope") == "0"; }};
}

inline double cosine(double angle) { return std::cos(angle); }
inline double sine(double angle) { return std::sin(angle); }

// NaN in the padding of x's rows.
inline Regions dead_pads(const Case& c, int64_t rows) {
  Regions regions;
  regions.mark_columns(rows, c.dim("aE"), row_dim(c), c.dim("aE"), Region::dead);
  return regions;
}

// The inputs that every layer reads besides its tokens.
inline std::vector<TensorSpec> parameters() {
  return {gamma("gamma1"),                               // (E)
          gamma("gamma2"),                               // (E)
          weights("wq", {"H", "ad", "aE"}, head, row),   // (H, ad, aE)
          weights("wk", {"HK", "ad", "aE"}, head, row),  // (HK, ad, aE)
          weights("wv", {"HK", "ad", "aE"}, head, row),  // (HK, ad, aE)
          weights("wo", {"aE", "H*ad"}, row, head),      // (aE, H ad)
          weights("w1", {"2*aI", "aE"}, inner, row),     // (2 aI, aE), the gate's rows first
          weights("w2", {"aE", "aI"}, row, inner),       // (aE, aI)
          bias("bq", {"H", "ad"}, head),                 // (H, ad), or absent, as all biases are
          bias("bk", {"HK", "ad"}, head),                // (HK, ad)
          bias("bv", {"HK", "ad"}, head),                // (HK, ad)
          bias("bo", {"aE"}, row),                       // (aE)
          bias("b1", {"2*aI"}, inner),                   // (2 aI)
          bias("b2", {"aE"}, row),                       // (aE)
          table("cos", cosine),                          // (max_seq, D/2), or absent without rope
          table("sin", sine)};                           // (max_seq, D/2), likewise
}

// The matrices of layers, each of which may be blocks of a format of its own. Where the case says so, such layers pack
// each token's factors to q8_k: n1, attention's output, n2 and the MLP's gated half.
inline const std::vector<std::string> kMatrices = {"wq", "wk", "wv", "wo", "w1", "w2"};

inline std::vector<AttrSpec> with_formats(std::vector<AttrSpec> attrs) {
  for (const std::string& matrix : kMatrices) attrs.push_back(blocks::weights_format(matrix));
  attrs.push_back(blocks::packed_activations("what enters a product"));
  return attrs;
}
inline std::vector<TensorSpec> in_blocks(std::vector<TensorSpec> tensors) {
  for (TensorSpec& tensor : tensors)
    if (std::find(kMatrices.begin(), kMatrices.end(), tensor.name) != kMatrices.end())
      tensor = blocks::in_blocks(std::move(tensor));
  return tensors;
}

// Rows of whole blocks, whatever their padding.
inline void make_blocks_whole(Case& c) {
  blocks::complete(c, "aE", blocks::whole_blocks(c, {"wq", "wk", "wv", "w1"}, true));
  blocks::complete(c, "aI", blocks::whole_blocks(c, {"w2"}, true));
  blocks::complete_heads(c, blocks::whole_blocks(c, {"wo"}, true));
}

inline bool turns(const Case& c) { return c.text("rope") == "1"; }

// Completes a step that has an attribute `biases`: all that there may be, or none.
inline std::function<void(const Case& c, Case& step)> biases(std::string all) {
  return
      [all = std::move(all)](const Case& c, Case& step) { step.set("biases", c.text("biases") == "1" ? all : "none"); };
}

}  // namespace assay::ops::layer

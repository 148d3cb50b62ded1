// The common part of ops whose matrices of weights may be blocks, each of a format of its own, and whose activations
// may be packed to q8_k before they are multiplied.
//
// Both are attributes with the first choice none, which is what a case line means that does not name them. They are of
// cases in f32: nobody multiplies blocks with 16-bit activations here.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "harness/tensor/fill.h"
#include "kernels/blocks/problem.h"
#include "reference/block_activations.h"

namespace assay::ops::blocks {

inline const std::string kNone = "none";

// "w1_format" of the tensor "w1".
inline std::string format_attr(const std::string& tensor) { return tensor + "_format"; }

inline AttrSpec weights_format(const std::string& tensor) {
  return {.name = format_attr(tensor),
          .meaning = "the blocks in which " + tensor + " is given; none: elements of the case's dtype",
          .choices = {kNone, "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q6_k"},
          .optional = true};
}
inline AttrSpec packed_activations(std::string which) {
  return {.name = "activations",
          .meaning = "what " + std::move(which) + " goes through before it is multiplied: nothing, or blocks of q8_k",
          .choices = {kNone, "q8_k"},
          .optional = true};
}

inline bool has_blocks(const Case& c, const std::string& tensor) { return c.text(format_attr(tensor)) != kNone; }
inline bool packs_activations(const Case& c) { return c.text("activations") != kNone; }

// A matrix, and what its rows' length is called: a product of dims.
struct Factor {
  std::string tensor, length;
};
inline int64_t length_of(const Case& c, const Factor& factor) {
  return shape_of({.name = factor.tensor, .shape = {factor.length}}, c)[0];
}

inline std::optional<Error> cut(const std::string& length, int64_t k, const BlockFormat& format,
                                const std::string& what) {
  if (k % format.elements == 0) return std::nullopt;
  const int64_t less = k / format.elements * format.elements;
  return Error{fmt::format("{}={} is no multiple of {}, the elements of a block of {} ({})", length, k, format.elements,
                           format.name, what),
               less == 0 ? fmt::format("make {} {}", length, format.elements)
                         : fmt::format("make {} {} or {}", length, less, less + format.elements)};
}

// Why a case has no such blocks: of 16 bits, or cut off within one. `activations`: the lengths of what is packed.
inline std::optional<Error> refused(const Case& c, const std::vector<Factor>& weights,
                                    const std::vector<std::string>& activations) {
  const auto wrong_dtype = [&](const std::string& attr) -> std::optional<Error> {
    if (c.dtype == DType::f32 || c.text(attr) == kNone) return std::nullopt;
    return Error{fmt::format("{}={} is of f32 activations, and the case is {}", attr, c.text(attr), name(c.dtype)),
                 fmt::format("take f32, or {}=none", attr)};
  };
  for (const Factor& factor : weights) {
    if (auto error = wrong_dtype(format_attr(factor.tensor))) return error;
    if (!has_blocks(c, factor.tensor)) continue;
    const std::string what = format_attr(factor.tensor) + "=" + c.text(format_attr(factor.tensor));
    if (auto error = cut(factor.length, length_of(c, factor), format_of(c, format_attr(factor.tensor)), what))
      return error;
  }
  if (auto error = wrong_dtype("activations")) return error;
  for (const std::string& length : activations)
    if (packs_activations(c))
      if (auto error = cut(length, length_of(c, {"", length}), reference::kQ8_K, "activations=q8_k")) return error;
  return std::nullopt;
}

// The elements of which a row of this length must have a multiple.
inline int64_t whole_blocks(const Case& c, const std::vector<std::string>& tensors, bool is_activation) {
  int64_t elements = is_activation && packs_activations(c) ? reference::kQ8_K.elements : 1;
  for (const std::string& tensor : tensors)
    if (has_blocks(c, tensor)) elements = std::max(elements, format_of(c, format_attr(tensor)).elements);
  return elements;
}

// Cases of 16 bits have no blocks.
inline void drop_blocks_of_16_bits(Case& c, const std::vector<std::string>& tensors) {
  if (c.dtype == DType::f32) return;
  for (const std::string& tensor : tensors) c.set(format_attr(tensor), kNone);
  c.set("activations", kNone);
}

inline int64_t rounded_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

// Rounds a dim up to whole blocks.
inline void complete(Case& c, const std::string& dim, int64_t elements) {
  c.set(dim, std::to_string(rounded_up(c.dim(dim), elements)));
}

// Rounds the lanes of a head up until all heads together are whole blocks.
inline void complete_heads(Case& c, int64_t elements) { complete(c, "ad", elements / std::gcd(elements, c.dim("H"))); }

inline bool is_exact(const Case& c) { return find_fill(c.fill)->exact; }

// Whether sums of the op's products are exact where its data is (Contract::linear): its blocks must be, then, of an
// exact fill.
enum class Op : uint8_t { linear, other };

// Writes the rows of x into blocks. Numbers that no scale can hold are cut to what it can, and so is infinity: times a
// code that is 0 it would be NaN, and times the sum of all codes infinite.
inline void pack_rows(bool exactly, const BlockFormat& format, const Tensor& x, Tensor& blocks) {
  const double largest = reference::pack_magnitude(format);
  std::vector<double> values(static_cast<size_t>(format.elements));
  std::vector<uint8_t> block(static_cast<size_t>(format.bytes));
  for (int64_t b = 0; b < x.count() / format.elements; ++b) {
    for (int64_t i = 0; i < format.elements; ++i) {
      const double value = x.at(b * format.elements + i);
      values[static_cast<size_t>(i)] = std::isnan(value) ? value : std::clamp(value, -largest, largest);
    }
    (exactly ? reference::pack_integers : reference::pack)(format, values, block);
    for (int64_t i = 0; i < format.bytes; ++i) blocks.set_bits(b * format.bytes + i, block[static_cast<size_t>(i)]);
  }
}

// Rows as long as blocks have a NaN nearly always where one element in 32 is NaN: weights would hide what becomes of
// those among activations. In every other case only activations have them.
inline Case with_nan_in_turn(Case c) {
  if (packs_activations(c) && find_fill(c.fill)->has_nan && c.seed % 2 == 1) c.fill = "normal";
  return c;
}

// A tensor of weights that is blocks in cases which say so. The rest of `spec` is that of its elements.
inline TensorSpec in_blocks(TensorSpec spec, Op op = Op::other) {
  const TensorSpec elements = spec;
  const auto is_packed = [](const TensorSpec& of, const Case& c) { return has_blocks(c, of.name); };
  spec.shape_by = [elements, is_packed](const Case& c) {
    ShapeText shape = elements.shape_by ? elements.shape_by(c) : elements.shape;
    if (is_packed(elements, c))
      shape.back() =
          std::to_string(reference::row_bytes(format_of(c, format_attr(elements.name)), shape_of(elements, c).back()));
    return shape;
  };
  spec.dtype_by = [elements, is_packed](const Case& c) {
    return is_packed(elements, c) ? DType::u8 : dtype_of(elements, c);
  };
  const auto made = [elements, is_packed, op](const Case& c, Tensor& tensor, auto make) {
    if (!is_packed(elements, c)) return make(tensor);
    Tensor x(elements.name, DType::f32, Role::input, shape_of(elements, c));
    make(x);
    pack_rows(op == Op::linear && is_exact(c), format_of(c, format_attr(elements.name)), x, tensor);
  };
  if (elements.make)
    spec.make = [elements, made](const Case& c, Rng& rng, Tensor& tensor) {
      made(c, tensor, [&](Tensor& x) { elements.make(with_nan_in_turn(c), rng, x); });
    };
  if (elements.derive)
    spec.derive = [elements, made](const Case& c, const Tensors& earlier, Tensor& tensor) {
      made(c, tensor, [&](Tensor& x) { elements.derive(with_nan_in_turn(c), earlier, x); });
    };
  return spec;
}

// Blocks of q8_k have elements of 2^-100 at least, or zeros: their scale's inverse is infinite else. Subnormal data is
// normal where it is packed.
inline Case with_packable_fill(Case c) {
  if (packs_activations(c) && (c.fill == "subnormal" || c.fill == "subnormal_among")) c.fill = "normal";
  return c;
}

// Activations that are multiplied with these tensors, and may be packed first: finite or NaN beside blocks.
inline TensorSpec packable(TensorSpec spec, std::vector<std::string> weights, Op op = Op::other) {
  const MakeTensor make = spec.make;
  spec.make = [make, weights = std::move(weights), op](const Case& c, Rng& rng, Tensor& x) {
    make(with_packable_fill(c), rng, x);
    if (whole_blocks(c, weights, true) == 1) return;
    for (int64_t i = 0; i < x.count(); ++i) {
      if (std::isinf(x.at(i))) x.set(i, std::copysign(1, x.at(i)));
      if (op == Op::linear && is_exact(c) && packs_activations(c) && i % reference::kQ8_K.elements == 0)
        x.set(i, 127);  // their scale is 1
    }
  };
  return spec;
}

// The elements of a tensor of weights as numbers, in the shape that they have without blocks.
inline Tensor elements_of(const Case& c, const Tensor& tensor, std::vector<int64_t> shape) {
  if (!has_blocks(c, tensor.name())) return tensor;
  const BlockFormat format = format_of(c, format_attr(tensor.name()));
  Tensor elements(tensor.name(), DType::f32, tensor.role(), std::move(shape));
  std::vector<uint8_t> block(static_cast<size_t>(format.bytes));
  for (int64_t i = 0; i < elements.count(); ++i) {
    if (i % format.elements == 0)
      for (int64_t b = 0; b < format.bytes; ++b)
        block[static_cast<size_t>(b)] = static_cast<uint8_t>(tensor.bits(i / format.elements * format.bytes + b));
    elements.set(i, reference::decode(format, block, i % format.elements));
  }
  return elements;
}

// Rows of activations as products get them: through blocks of q8_k where the case says so, and as they are otherwise.
inline std::vector<double> as_multiplied(const Case& c, std::vector<double> x) {
  if (!packs_activations(c)) return x;
  return reference::activation_row("q8_k", std::move(x)).x;  // by the reference's rule for quotients half-way
}

// The same for a tensor.
inline Tensor as_multiplied(const Case& c, const Tensor& x) {
  if (!packs_activations(c)) return x;
  std::vector<double> values;
  for (int64_t i = 0; i < x.count(); ++i) values.push_back(x.at(i));
  values = as_multiplied(c, std::move(values));
  Tensor coded = x;
  for (int64_t i = 0; i < x.count(); ++i) coded.set(i, values[static_cast<size_t>(i)]);
  return coded;
}

}  // namespace assay::ops::blocks

// The common part of the contracts of ops on quantised blocks: the format as an attribute, shapes in bytes, and the
// data.
//
// blocks=packed packs the case's fill. bytes has any codes and scales within a block, with d and m of ordinary size.
// any adds rows of every bit pattern, among them scales that are infinite or NaN.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/op/contract.h"
#include "reference/block_pack.h"

namespace assay::ops::blocks {

using reference::BlockFormat;

inline AttrSpec format(std::vector<std::string> choices, std::string name = "format") {
  return {
      .name = std::move(name), .meaning = "how blocks are laid out", .choices = std::move(choices), .in_turn = true};
}

inline AttrSpec contents() {
  return {.name = "blocks", .meaning = "what the blocks hold", .choices = {"packed", "bytes", "any"}};
}

inline BlockFormat format_of(const Case& c, std::string_view attr = "format") {
  return reference::block_format(c.text(attr));
}

// [rows, bytes of a row of K elements]; `rows` as in TensorSpec::shape.
inline ShapeText shape(const Case& c, std::string rows, std::string_view k = "K", std::string_view attr = "format") {
  const BlockFormat format = format_of(c, attr);
  return {std::move(rows), fmt::format("{}*{}", c.dim(k) / format.elements, format.bytes)};
}

inline std::optional<Error> cut_block(const Case& c, std::string_view k = "K", std::string_view attr = "format") {
  const BlockFormat format = format_of(c, attr);
  if (c.dim(k) % format.elements == 0) return std::nullopt;
  return Error{fmt::format("{}={} is no multiple of {}, the elements of a block of {}", k, c.dim(k), format.elements,
                           format.name),
               fmt::format("make {} {} or {}", k, c.dim(k) / format.elements * format.elements,
                           (c.dim(k) / format.elements + 1) * format.elements)};
}

// Rounds K up to whole blocks.
inline void complete_block(Case& c, std::string_view k = "K", std::string_view attr = "format") {
  const int64_t elements = format_of(c, attr).elements;
  c.set(std::string(k), std::to_string((c.dim(k) + elements - 1) / elements * elements));
}

// The case's fill as numbers, clamped to what the format's scales can hold.
inline std::vector<double> numbers(const Case& c, Rng& rng, const BlockFormat& format, int64_t rows, int64_t k) {
  Tensor x("x", DType::f32, Role::input, {rows, k});
  apply_fill(c, rng, reference::pack_magnitude(format), x);
  std::vector<double> values(static_cast<size_t>(x.count()));
  for (int64_t i = 0; i < x.count(); ++i) values[static_cast<size_t>(i)] = x.at(i);
  return values;
}

// Offsets of the f16 scales in a block: d, and m or dmin where there is one.
inline std::vector<size_t> f16_scales(const BlockFormat& format) {
  if (format == reference::kQ8_K) return {};
  if (format == reference::kQ6_K) return {208};
  return format.has_offset ? std::vector<size_t>{0, 2} : std::vector<size_t>{0};
}

// Random bits in every byte; unless `any`, scales are normal numbers of sizes from 2^-14 to 1, of either sign. Sums of
// Q8_K agree with the codes either way, as every kernel that reads them may assume.
inline void random_block(const BlockFormat& format, bool any, Rng& rng, reference::BlockBytes block) {
  for (uint8_t& byte : block) byte = static_cast<uint8_t>(rng.next());
  const auto ordinary = [&](double spacing) {
    const double size =
        std::ldexp(1 + static_cast<double>(rng.below(1024)) * spacing, -1 - static_cast<int>(rng.below(14)));
    return rng.below(2) == 0 ? size : -size;
  };
  if (!any) {
    for (const size_t at : f16_scales(format)) reference::put_f16(block, at, ordinary(0x1p-10));
    if (format == reference::kQ8_K)
      reference::put_little_end(block, 0, 4, from_double(DType::f32, ordinary(0x1.000002p-10)));
  }
  if (format == reference::kQ8_K) reference::put_sums(block);
}

// An input of blocks, for TensorSpec::make. Where a case keeps `nonzero` elements, random blocks keep as many.
inline void make_blocks(const Case& c, Rng& rng, Tensor& tensor, const BlockFormat& format) {
  const bool packed = c.text("blocks") == "packed";
  const int64_t blocks = tensor.count() / format.bytes, rows = tensor.shape().front();
  const int64_t in_row = rows == 0 ? 0 : blocks / rows;
  std::vector<double> x;
  if (packed) x = numbers(c, rng, format, rows, in_row * format.elements);
  std::vector<uint8_t> block(static_cast<size_t>(format.bytes));
  bool any = false;
  for (int64_t b = 0; b < blocks; ++b) {
    if (b % in_row == 0) any = c.text("blocks") == "any" && (b == 0 || rng.below(4) == 0);  // of whole rows
    if (packed)
      reference::pack(
          format, std::span(x).subspan(static_cast<size_t>(b * format.elements), static_cast<size_t>(format.elements)),
          block);
    else
      random_block(format, any, rng, block);
    if (!packed && c.nonzero && b >= *c.nonzero) std::fill(block.begin(), block.end(), uint8_t{0});
    for (int64_t i = 0; i < format.bytes; ++i) tensor.set_bits(b * format.bytes + i, block[static_cast<size_t>(i)]);
  }
}

}  // namespace assay::ops::blocks

// quantize: what it means. Blocks of f32 elements become codes with a scale, as GGML's own quantisers make them.
//
// Codes are discrete: one is right if a number within 8 f32 ulp of the exact quotient rounds to it, a scale if it is a
// rounding of a number within 2 (reference/block_decisions.h). The row's figure `either_way` counts the decisions that
// were right and not those of exact arithmetic. A block with a NaN or an infinity must have no value that is a number.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/blocks/problem.h"
#include "reference/quantize.h"

namespace assay::ops::quantize {

using reference::BlockBytes;
using reference::BlockFormat;

constexpr double kSmallest = 0x1p-100;  // below it, 1/d is no f32

inline std::optional<Error> cut_block(const Case& c) { return blocks::cut_block(c); }
inline void complete_block(Case& c) { blocks::complete_block(c); }

// The case's fill; blocks whose largest element is smaller than the contract admits are scaled up.
inline void make_x(const Case& c, Rng& rng, Tensor& x) {
  const BlockFormat format = blocks::format_of(c);
  apply_fill(c, rng, reference::pack_magnitude(format), x);
  for (int64_t first = 0; first < x.count(); first += format.elements) {
    double size = 0;
    for (int64_t i = first; i < first + format.elements; ++i) size = std::fmax(size, std::fabs(x.at(i)));
    for (int64_t i = first; size > 0 && size < kSmallest && i < first + format.elements; ++i)
      x.set(i, x.at(i) * 0x1p+60);
  }
}

// Calls f(elements, block) for every block of the case, whose bytes are those of `q`, and puts them back.
template <class F>
void for_each_block(const Case& c, const Tensor& x, std::vector<uint8_t>& q, F f) {
  const BlockFormat format = blocks::format_of(c);
  std::vector<double> elements(static_cast<size_t>(format.elements));
  for (int64_t b = 0; b < x.count() / format.elements; ++b) {
    for (int64_t i = 0; i < format.elements; ++i) elements[static_cast<size_t>(i)] = x.at(b * format.elements + i);
    f(elements, std::span(q).subspan(static_cast<size_t>(b * format.bytes), static_cast<size_t>(format.bytes)));
  }
}

inline std::vector<uint8_t> bytes_of(const Tensor& q) {
  std::vector<uint8_t> bytes(static_cast<size_t>(q.count()));
  for (int64_t i = 0; i < q.count(); ++i) bytes[static_cast<size_t>(i)] = static_cast<uint8_t>(q.bits(i));
  return bytes;
}

// -- Properties.

// Half a step, or a whole one where the largest code ends a step short of the largest element of the other sign; what d
// and m lose when they are stored comes on top.
inline double error_allowed(const BlockFormat& format, const reference::BlockElement& stored,
                            std::span<const double> x) {
  double allowed = 0;
  for (const int sign : {1, -1}) {  // of two elements of the largest size, either may have decided
    const reference::BlockScale exact = reference::scale_of(format, x, sign);
    const double steps =
        format.zero > 0 && stored.code == reference::code_range(format).largest - format.zero ? 1 : 0.5;
    allowed =
        std::fmax(allowed, std::fabs(exact.d) * (steps + 0x1p-16) +
                               std::fabs(stored.code) * std::fabs(stored.d - exact.d) + std::fabs(stored.m - exact.m));
  }
  return allowed;
}

inline std::optional<std::string> is_far_from_its_elements(const PropertyRun& run) {
  const BlockFormat format = blocks::format_of(run.c);
  std::vector<uint8_t> q = bytes_of(run.got.get("q"));
  std::optional<std::string> seen;
  int64_t b = 0;
  for_each_block(run.c, run.given.get("x"), q, [&](std::span<const double> x, BlockBytes block) {
    for (int64_t i = 0; !seen && reference::all_finite(x) && i < format.elements; ++i) {
      const reference::BlockElement stored = reference::element_of(format, block, i);
      const double value = reference::decode(format, block, i), want = x[static_cast<size_t>(i)];
      if (!(std::fabs(value - want) <= error_allowed(format, stored, x)))
        seen = fmt::format("element {} of block {} is {}, and its code means {}", i, b, want, value);
    }
    ++b;
  });
  return seen;
}

// Whether a block's codes come back: its values are finite and its scale is no 0, and of Q8_K only one of its ends is
// in use, or either could decide.
inline bool comes_back(const BlockFormat& format, reference::Block block) {
  if (std::fabs(reference::stored_scale(format, block)) < kSmallest) return false;
  bool lowest = false, highest = false;
  for (int64_t i = 0; i < format.elements; ++i) {
    const double value = to_double(DType::f32, from_double(DType::f32, reference::decode(format, block, i)));
    if (!std::isfinite(value)) return false;
    lowest |= reference::code_of(format, block, i) == -127;
    highest |= reference::code_of(format, block, i) == 127;
  }
  return !(format == reference::kQ8_K && lowest && highest);
}

// This does not hold for formats with a minimum: its rounding to f16 moves every quotient.
inline std::optional<std::string> changes_when_done_twice(const PropertyRun& run) {
  const BlockFormat format = blocks::format_of(run.c);
  if (format.has_offset) return std::nullopt;
  std::vector<uint8_t> once = bytes_of(run.got.get("q"));
  Tensors given = run.given;
  Tensor& x = given.get("x");
  int64_t at = 0;
  for_each_block(run.c, run.given.get("x"), once, [&](std::span<const double>, BlockBytes block) {
    for (int64_t i = 0; i < format.elements; ++i) x.set(at++, reference::decode(format, block, i));
  });
  const Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  const std::vector<uint8_t> twice = bytes_of(got->get("q"));
  for (int64_t b = 0; b < std::ssize(once) / format.bytes; ++b) {
    const auto block = [&](const std::vector<uint8_t>& all) {
      return std::span(all).subspan(static_cast<size_t>(b * format.bytes), static_cast<size_t>(format.bytes));
    };
    if (!comes_back(format, block(once))) continue;
    for (int64_t i = 0; i < format.elements; ++i)
      if (const int first = reference::code_of(format, block(once), i),
          second = reference::code_of(format, block(twice), i);
          first != second)
        return fmt::format("code {} of block {} is {}, and {} once it was dequantised", i, b, first, second);
  }
  return std::nullopt;
}

// -- Mutants.

template <class F>
Mutant with_blocks(std::string name, F change) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const BlockFormat format = blocks::format_of(c);
            std::vector<uint8_t> q;
            for (const double byte : outputs[0].values) q.push_back(static_cast<uint8_t>(byte));
            for_each_block(c, given.get("x"), q, [&](std::span<const double> x, BlockBytes block) {
              if (reference::all_finite(x)) change(format, x, block);
            });
            for (size_t i = 0; i < q.size(); ++i) outputs[0].values[i] = q[i];
          }};
}

inline void truncate(const BlockFormat& format, std::span<const double> x, BlockBytes block) {
  const reference::BlockScale scale = reference::scale_of(format, x, reference::deciding_sign(x));
  if (scale.d == 0) return;
  const reference::CodeRange range = reference::code_range(format);
  for (int64_t i = 0; i < format.elements; ++i) {
    const double number = (x[static_cast<size_t>(i)] - scale.m) / scale.d + format.zero;
    const auto code = static_cast<int>(std::fmin(std::fmax(std::trunc(number), range.least), range.largest));
    reference::put_code(format, block, i, code);
  }
  if (format == reference::kQ8_K) reference::put_sums(block);
}

inline void interleave(const BlockFormat& format, std::span<const double>, BlockBytes block) {
  const std::vector<uint8_t> right(block.begin(), block.end());
  for (int64_t i = 0; i < format.elements; ++i)
    reference::put_code(format, block, i / 2 + i % 2 * format.elements / 2, reference::code_of(format, right, i));
}

inline void lose_sign_of_scale(const BlockFormat& format, std::span<const double>, BlockBytes block) {
  if (reference::stored_scale(format, block) == 0) return;  // of either sign
  const size_t at = size_of(reference::scale_dtype(format)) - 1;
  block[at] = static_cast<uint8_t>(block[at] & 0x7f);
}

inline Contract contract() {
  return {
      .name = "quantize",
      .summary = "q = blocks of codes of x in `format`, scales first, byte for byte as GGML has them",
      .dims = {{.name = "rows", .meaning = "rows", .min = 0, .aliases = {"N", "nrows", "ne1"}},
               {.name = "K",
                .meaning = "elements of a row, a multiple of the block",
                .min = 0,
                .boundary = {32, 256, 512, 768, 2048},
                .aliases = {"k", "cols", "ncols", "ne00", "kx"}}},
      .attrs = {blocks::format({"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q8_k"})},
      .tensors = {{.name = "x", .shape = {"rows", "K"}, .make = make_x, .aliases = {"src", "in", "input"}},
                  {.name = "q",  // (rows, K / elements * bytes)
                   .role = Role::output,
                   .dtype = DType::u8,
                   .shape_by = [](const Case& c) { return blocks::shape(c, "rows"); },
                   .aliases = {"vy", "dst", "out", "blocks"}}},
      .dtypes = {DType::f32},
      .out_of_reach = {{"stored_scale", "overflows f16",
                        "x is bounded: blocks with an infinite scale mean no numbers"}},
      .no_library = "blocks of GGML are no format of cuBLAS, cuDNN or CUB",
      .constraint = cut_block,
      .adjust = complete_block,
      .reference = reference_from([](auto& io) { reference::quantize(io); }),
      .properties = {{.name = "near_its_elements",
                      .states =
                          "dequantised, an element is at most half a step from what it was, and what d and m lose",
                      .broken = is_far_from_its_elements},
                     {.name = "codes_come_back",
                      .states = "quantising what a block's codes mean gives these codes again",
                      .broken = changes_when_done_twice}},
      .mutants = {with_blocks("codes_truncated", truncate), with_blocks("codes_interleaved", interleave),
                  with_blocks("sign_of_scale_lost", lose_sign_of_scale)},
      .flops = [](const Case& c) { return 4 * static_cast<double>(c.dim("rows") * c.dim("K")); },
  };
}

}  // namespace assay::ops::quantize

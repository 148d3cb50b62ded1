// dequantize: what it means. Blocks of codes become numbers, by the table of their format.
//
// To f32 every element has one right value: products fit its 24 bits, and what is left, a sum or Q8_K's product, is
// rounded once, fused or not. Only the bits of NaN and the sign of 0 are free.
#pragma once

#include "kernels/blocks/problem.h"
#include "reference/dequantize.h"

namespace assay::ops::dequantize {

using reference::Block;
using reference::BlockElement;
using reference::BlockFormat;

inline std::optional<Error> cut_block(const Case& c) { return blocks::cut_block(c); }
inline void complete_block(Case& c) { blocks::complete_block(c); }

inline void make_q(const Case& c, Rng& rng, Tensor& q) { blocks::make_blocks(c, rng, q, blocks::format_of(c)); }

// Elements by another table: `element` sees all blocks, the number of one and the element in it.
using WrongElement = BlockElement (*)(const BlockFormat& format, Block all, int64_t b, int64_t i);

inline Block block_at(const BlockFormat& format, Block all, int64_t b) {
  return all.subspan(static_cast<size_t>(b * format.bytes), static_cast<size_t>(format.bytes));
}

inline Mutant with_elements(std::string name, WrongElement element) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const BlockFormat format = blocks::format_of(c);
            const Tensor& q = given.get("q");
            std::vector<uint8_t> all(static_cast<size_t>(q.count()));
            for (int64_t i = 0; i < q.count(); ++i) all[static_cast<size_t>(i)] = static_cast<uint8_t>(q.bits(i));
            for (int64_t i = 0; i < std::ssize(outputs[0].values); ++i)
              outputs[0][i] =
                  reference::value_of<double>(format, element(format, all, i / format.elements, i % format.elements));
          }};
}

// Elements 2j and 2j + 1 in byte j, as most other formats have it; of groups of 64 in those of Q4_K.
inline BlockElement with_neighbours_in_a_byte(const BlockFormat& format, Block all, int64_t b, int64_t i) {
  const Block block = block_at(format, all, b);
  if (format.name.starts_with("q8")) return reference::element_of(format, block, i);
  const int64_t half = format == reference::kQ4_K ? 32 : format == reference::kQ6_K ? 64 : 16, span = 2 * half;
  return reference::element_of(format, block, i / span * span + i % span / 2 + i % 2 * half);
}

inline BlockElement with_scale_of_the_block_before(const BlockFormat& format, Block all, int64_t b, int64_t i) {
  BlockElement element = reference::element_of(format, block_at(format, all, b), i);
  const BlockElement before = reference::element_of(format, block_at(format, all, std::max<int64_t>(0, b - 1)), i);
  element.d = before.d;
  return element;
}

inline BlockElement without_zero(const BlockFormat& format, Block all, int64_t b, int64_t i) {
  BlockElement element = reference::element_of(format, block_at(format, all, b), i);
  element.code += format.zero;
  return element;
}

inline BlockElement with_offset_negated(const BlockFormat& format, Block all, int64_t b, int64_t i) {
  BlockElement element = reference::element_of(format, block_at(format, all, b), i);
  element.m = -element.m;
  return element;
}

// The bits of a code, or of a factor, that lie apart from the others.
inline BlockElement without_high_bits(const BlockFormat& format, Block all, int64_t b, int64_t i) {
  BlockElement element = reference::element_of(format, block_at(format, all, b), i);
  if (format == reference::kQ4_K && i >= 128) {
    element.factor &= 15;
    element.offset_factor &= 15;
  }
  if (format.has_fifth || format == reference::kQ6_K) element.code = ((element.code + format.zero) & 15) - format.zero;
  return element;
}

inline Contract contract() {
  return {
      .name = "dequantize",
      .summary = "y = the elements of blocks of `format`: d code, d code + m, or d scale code - dmin min by groups",
      .dims = {{.name = "rows", .meaning = "rows of blocks", .min = 0, .aliases = {"N", "nrows"}},
               {.name = "K",
                .meaning = "elements of a row, a multiple of the block",
                .min = 0,
                .boundary = {32, 256, 512, 768, 2048},
                .aliases = {"k", "cols", "ncols", "ne00"}}},
      .repeats_along = {"rows"},
      .attrs = {blocks::format({"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q6_k", "q8_k"}), blocks::contents()},
      .tensors = {{.name = "q",  // (rows, K / elements * bytes)
                   .dtype = DType::u8,
                   .make = make_q,
                   .shape_by = [](const Case& c) { return blocks::shape(c, "rows"); },
                   .aliases = {"vx", "src", "blocks", "w", "weights"}},
                  {.name = "y", .role = Role::output, .shape = {"rows", "K"}, .aliases = {"dst", "out", "yy"}}},
      .no_library = "blocks of GGML are no format of cuBLAS, cuDNN or CUB",
      .constraint = cut_block,
      .adjust = complete_block,
      .reference = reference_from([](auto& io) { reference::dequantize(io); }),
      .mutants = {with_elements("neighbours_in_a_byte", with_neighbours_in_a_byte),
                  with_elements("scale_of_the_block_before", with_scale_of_the_block_before),
                  with_elements("zero_left_out", without_zero), with_elements("offset_negated", with_offset_negated),
                  with_elements("high_bits_lost", without_high_bits)},
      .flops = [](const Case& c) { return 2 * static_cast<double>(c.dim("rows") * c.dim("K")); },
  };
}

}  // namespace assay::ops::dequantize

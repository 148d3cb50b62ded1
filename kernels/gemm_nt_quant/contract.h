// gemm_nt_quant: what it means. C = A B^T with a bias for each column, where B has rows of quantised blocks, of a
// format that is an attribute, and A is in f32 or given as blocks too: q8_0 beside weights in blocks of 32, q8_k beside
// those in blocks of 256. Weights are never q8_k: kernels leave that format of B out.
//
// Nothing is quantised here: a kernel that takes f32 and quantises it on the way computes something else. Products of
// codes are exact, so what is rounded is scaling and adding up in f32. K is a multiple of the block.
//
// Infinity times a code that is 0 is NaN, and times the sum of all codes infinite: it depends on the algorithm, so
// activations are finite or NaN, and so are scales. A NaN reaches its row of C, or its column.
#pragma once

#include "kernels/blocks/problem.h"
#include "kernels/gemm_nt_quant/properties.h"
#include "reference/gemm_nt_quant.h"

namespace assay::ops::gemm_nt_quant {

inline constexpr double kLargest = 1e15;  // of activations: sums of a million products with 1e9 are finite in f32

// The activations that kernels of the format take beside it, "q8_0" or "q8_k".
inline std::string activations_of(const Case& c) { return blocks::format_of(c).elements == 32 ? "q8_0" : "q8_k"; }
inline bool are_codes(const Case& c) { return c.text("activations") != "f32"; }

inline std::optional<Error> refused(const Case& c) {
  if (are_codes(c) && c.text("activations") != activations_of(c))
    return Error{
        fmt::format("activations={} have blocks of {} elements, and format={} has blocks of {}", c.text("activations"),
                    blocks::format_of(c, "activations").elements, c.text("format"), blocks::format_of(c).elements),
        fmt::format("make activations f32 or {}", activations_of(c))};
  return blocks::cut_block(c);
}

inline void make_acceptable(Case& c) {
  if (are_codes(c)) c.set("activations", activations_of(c));
  blocks::complete_block(c);
}

// Products of two subnormal numbers are 0, and zeros could hide anything: beside subnormal a, b is normal, and blocks
// of activations too.
inline Case with_normal_blocks(Case c) {
  if (c.fill == "subnormal") c.fill = "normal";
  return c;
}

// Blocks of activations are packed from numbers of kLargest at most too: scales of any f32 would overflow.
inline void make_a(const Case& c, Rng& rng, Tensor& a) {
  if (!are_codes(c)) return apply_fill(c, rng, kLargest, a);
  Case filled = with_normal_blocks(c);
  const BlockFormat format = blocks::format_of(c, "activations");
  if (c.text("blocks") != "packed") {
    filled.set("blocks", "bytes");
    return blocks::make_blocks(filled, rng, a, format);
  }
  Tensor x("a", DType::f32, Role::input, {c.dim("M"), c.dim("K")});
  apply_fill(filled, rng, std::min(kLargest, reference::pack_magnitude(format)), x);
  const Tensor packed = other_activations(c, x, numbers_of(x, "f32"));
  for (int64_t i = 0; i < a.count(); ++i) a.set_bits(i, packed.bits(i));
}

// Bit patterns that mean an infinite scale are left out.
inline void make_b(const Case& c, Rng& rng, Tensor& b) {
  const BlockFormat format = blocks::format_of(c);
  blocks::make_blocks(with_normal_blocks(c), rng, b, format);
  for (int64_t block = 0; block < b.count(); block += format.bytes)
    for (const size_t at : blocks::f16_scales(format)) {
      const int64_t low = block + static_cast<int64_t>(at);
      if ((b.bits(low + 1) & 0x7F) == 0x7C && b.bits(low) == 0) b.set_bits(low, 1);
    }
}

inline void make_bias(const Case& c, Rng& rng, Tensor& bias) { apply_fill(c, rng, kLargest, bias); }

inline ShapeText a_shape(const Case& c) {
  return are_codes(c) ? blocks::shape(c, "M", "K", "activations") : ShapeText{"M", "K"};
}

inline Contract contract() {
  return {
      .name = "gemm_nt_quant",
      .summary = "C_mn = sum_k A_mk W_nk (+ bias_n), W the elements of blocks of `format`, A in f32 or as blocks of q8",
      .dims = {{.name = "M",
                .meaning = "rows of C",
                .min = 0,
                .boundary = {1, 2, 31, 32, 33},
                .aliases = {"m", "T", "rows", "num_tokens", "batch_size", "ncols_y"}},
               {.name = "N",
                .meaning = "columns of C, rows of blocks",
                .min = 0,
                .boundary = {1, 3, 31, 33},
                .aliases = {"n", "nrows", "nrows_x", "out_features", "out_dim"}},
               {.name = "K",
                .meaning = "terms of each sum, a multiple of the block",
                .min = 0,
                .boundary = {32, 256, 512, 768},
                .aliases = {"k", "ncols", "ncols_x", "in_features", "in_dim"}}},
      .repeats_along = {"M", "N"},
      .attrs = {blocks::format({"q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q6_k"}),
                {.name = "activations", .meaning = "what A is given as", .choices = {"f32", "q8_0", "q8_k"}},
                {.name = "bias", .meaning = "whether there is one", .choices = {"0", "1"}},
                blocks::contents()},
      .tensors = {{.name = "a",  // (M, K) f32, or (M, K / elements * bytes) u8
                   .make = make_a,
                   .shape_by = a_shape,
                   .dtype_by = [](const Case& c) { return are_codes(c) ? DType::u8 : DType::f32; },
                   .aliases = {"x", "vy", "y", "inp"}},
                  {.name = "b",  // (N, K / elements * bytes)
                   .dtype = DType::u8,
                   .make = make_b,
                   .shape_by = [](const Case& c) { return blocks::shape(c, "N"); },
                   .aliases = {"w", "vx", "weight", "weights", "qweight"}},
                  {.name = "bias",  // (N), or nothing
                   .shape = {"N"},
                   .make = make_bias,
                   .absent = [](const Case& c) { return c.text("bias") == "0"; }},
                  {.name = "c", .role = Role::output, .shape = {"M", "N"}, .aliases = {"dst", "out", "output"}}},
      .dtypes = {DType::f32},
      .admits_infinity = false,
      .why_left_out = "infinity times a code that is 0 is NaN or infinity, by the algorithm",
      .constraint = refused,
      .adjust = make_acceptable,
      .reference = reference_from([](auto& io) { reference::gemm_nt_quant(io); }),
      .formulas = {{"scaled_sums", "d times the sum of codes times activations, plus m times the sum of activations",
                    [](const Case& c) { return !are_codes(c); }},
                   {"dequantised", "a product in f32 of each activation and each weight", are_codes}},
      .multiplies_matrices = true,
      .properties = {{.name = "rows_do_not_depend_on_M",
                      .states = "the last row of A alone gives the last row of C",
                      .broken = row_depends_on_m},
                     {.name = "activations_agree",
                      .states = "quantising A, or dequantising it, changes C by what it changes of A times W",
                      .broken = activations_differ}},
      .mutants = mutants(),
      .flops =
          [](const Case& c) {
            return 2.0 * static_cast<double>(c.dim("M")) * static_cast<double>(c.dim("N")) *
                   static_cast<double>(c.dim("K"));
          },
  };
}

}  // namespace assay::ops::gemm_nt_quant

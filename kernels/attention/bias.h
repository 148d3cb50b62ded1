// The additive bias and the mask of the attention ops that take them.
#pragma once

#include "kernels/attention/problem.h"
#include "kernels/properties/agreement.h"

namespace assay::ops::attention {

inline constexpr int64_t kBiasedDimMax = 256;

// Extents of the bias: an attribute each, whose value is a dim or 1. The mask has its own.
inline std::vector<AttrSpec> bias_attrs() {
  return {
      {.name = "bias_batch", .meaning = "extent of the bias over the batch", .choices = {"1", "B"}},
      {.name = "bias_heads", .meaning = "extent of the bias over the heads", .choices = {"1", "HK", "H"}},
      {.name = "bias_queries", .meaning = "extent of the bias over the queries", .choices = {"1", "Sq"}},
      {.name = "mask",
       .meaning = "which keys the mask removes: no mask, a third of them at random, or all of them in some of its rows",
       .choices = {"none", "some", "rows"}},
      {.name = "mask_batch", .meaning = "extent of the mask over the batch", .choices = {"1", "B"}},
      {.name = "mask_heads", .meaning = "extent of the mask over the heads", .choices = {"1", "HK", "H"}},
      {.name = "mask_queries", .meaning = "extent of the mask over the queries", .choices = {"1", "Sq"}}};
}

// Without a mask there is one way to write its extents.
inline void make_biased(Case& c) {
  make_heads_divide(c);
  if (c.text("mask") != "none") return;
  for (const char* extent : {"mask_batch", "mask_heads", "mask_queries"}) c.set(extent, "1");
}

inline std::optional<Error> biased_constraint(const Case& c) {
  if (auto error = heads_do_not_divide(c)) return error;
  for (const char* extent : {"mask_batch", "mask_heads", "mask_queries"})
    if (c.text("mask") == "none" && c.text(extent) != "1")
      return Error{fmt::format("{}={} without a mask", extent, c.text(extent)),
                   fmt::format("write {}=1 or mask=some", extent)};
  return std::nullopt;
}

inline TensorSpec bias() {
  return {.name = "bias",
          .shape = {"bias_batch", "bias_heads", "bias_queries", "Sk"},
          .make = [](const Case& c, Rng& rng, Tensor& t) { apply_fill(data::not_exponents(c), rng, kLargest, t); },
          .aliases = {"attn_bias", "rel_pos_bias"}};
}

// A byte per position: 0 removes it.
inline TensorSpec mask() {
  return {.name = "mask",
          .shape = {"mask_batch", "mask_heads", "mask_queries", "Sk"},
          .dtype = DType::u8,
          .make =
              [](const Case& c, Rng& rng, Tensor& mask) {
                const int64_t keys = c.dim("Sk");
                const bool rows = c.text("mask") == "rows";
                for (int64_t row = 0; row < mask.count(); row += keys) {
                  const bool removed = rng.below(2) == 0 || row == 0;
                  for (int64_t j = row; j < row + keys; ++j) mask.set_bits(j, rows ? !removed : rng.below(3) != 0);
                }
              },
          .aliases = {"attn_mask", "key_mask", "attention_mask"},
          .absent = [](const Case& c) { return c.text("mask") == "none"; }};
}

// Keys that the mask removes, changed: nothing may change.
inline Property removed_keys_are_not_seen(std::vector<std::string> outputs) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    const Tensor& mask = run.given.get("mask");
    const reference::AttentionShape a = reference::attention_shape(run.c);
    if (mask.count() == 0 || mask.shape()[1] != 1 || mask.shape()[2] != 1) return std::nullopt;
    Tensors given = run.given;
    for (const char* name : {"k", "v"})
      for (int64_t b = 0; b < a.batch; ++b)
        for (int64_t j = 0; j < a.keys; ++j) {
          if (mask.bits(b % mask.shape()[0] * a.keys + j)) continue;
          for (int64_t g = 0; g < a.kv_heads; ++g)
            for (int64_t d = 0; d < a.dim; ++d)
              given.get(name).set(a.kv.at(b, j, g) + d, static_cast<double>((j + d) % 5) - 2);
        }
    const Result<Tensors> again = run.run(run.c, std::move(given));
    if (!again) return again.error().what;
    return properties::first_disagreement(run, *again, outputs);
  };
  return {.name = "removed_keys_are_not_seen",
          .states = "changing keys and values that the mask removes changes nothing",
          .broken = broken};
}

}  // namespace assay::ops::attention

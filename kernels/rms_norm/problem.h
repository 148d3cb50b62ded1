// The common part of the contracts of rms_norm_forward and its backward: rows with padding behind their true elements.
#pragma once

#include "kernels/data/tensors.h"
#include "kernels/kv_cache/regions.h"

namespace assay::ops::rms_norm {

inline std::vector<DimSpec> dims() {
  return {{.name = "T",
           .meaning = "tokens",
           .min = 0,
           .aliases = {"N", "M", "rows", "BT", "B", "tokens", "num_tokens", "batch", "batch_size", "seq_len"}},
          {.name = "aE",
           .meaning = "elements from one row to the next, padding included",
           .aliases = {"stride", "row_stride", "aligned_dim", "dim", "E", "C", "D", "N", "cols", "hidden", "hidden_dim",
                       "hidden_size", "embed_dim", "n_embd", "row_size", "width"}},
          {.name = "pad",
           .meaning = "elements of padding at the end of a row",
           .min = 0,
           .max = 255,
           .aliases = {"padding", "row_padding"}}};
}

inline int64_t true_dim(const Case& c) { return c.dim("aE") - c.dim("pad"); }
inline ShapeText true_row(const Case& c) { return {std::to_string(true_dim(c))}; }

inline std::optional<Error> row_of_padding_only(const Case& c) {
  if (true_dim(c) >= 1) return std::nullopt;
  return Error{
      fmt::format("a row of aE={} elements, of which pad={} are padding, has none left", c.dim("aE"), c.dim("pad")),
      "make pad smaller than aE"};
}

inline Regions dead_pads(const Case& c) { return kv_cache::dead_pads(c.dim("T"), c.dim("aE"), c.dim("pad")); }

}  // namespace assay::ops::rms_norm

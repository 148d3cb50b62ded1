// The parameters of every softmax kernel: extents, scale, and which columns a row sees. Passed by value.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/op/variant.h"

namespace assay::device {

// Matrices of (queries, cols), one after the other: `rows` rows in all.
struct SoftmaxArgs {
  int64_t rows, queries, cols;
  float scale;
  bool causal;

  // Row `row` of all matrices sees the columns 0 … seen(row) - 1; the last row of a causal matrix sees all of them.
  __host__ __device__ int64_t seen(int64_t row) const {
    if (!causal) return cols;
    const int64_t end = row % queries + cols - queries + 1;
    return end < 0 ? 0 : end < cols ? end : cols;
  }
};

inline SoftmaxArgs softmax_args(const Call& call) {
  return {.rows = call.dim("heads") * call.dim("rows"),
          .queries = call.dim("rows"),
          .cols = call.dim("cols"),
          .scale = call.real("scale"),
          .causal = call.text("causal") == "1"};
}

// Variant::domains of kernels that take all of this. The attributes are optional: without it they take plain rows.
inline std::vector<Domain> every_softmax() {
  return {{.name = "causal", .values = {"0", "1"}},
          {.name = "scale", .values = {"1", "0.125", "0.0884"}},
          {.name = "heads", .values = {"1", "2", "3", "12"}}};
}

inline std::optional<std::string> too_many_softmax_rows(const Case& c) {
  if (c.dim("heads") * c.dim("rows") > INT32_MAX)
    return "at worst a block per row, and a grid has at most 2^31 - 1 blocks";
  return std::nullopt;
}

}  // namespace assay::device

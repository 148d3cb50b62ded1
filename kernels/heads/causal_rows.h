// The common part of ops on the scores of causal attention: [H, aw, aw], of which row i has the columns 0 … i.
#pragma once

#include "kernels/heads/head_major.h"
#include "kernels/heads/properties.h"

namespace assay::ops::heads {

inline AttrSpec score_scale() {
  return {.name = "scale",
          .meaning = "factor of the scores",
          .choices = {"1", "0.125", "0.0884"},
          .aliases = {"sm_scale", "softmax_scale", "inv_sqrt_d"}};
}

// The elements that a causal op never reads: columns behind their row's own, and all from T on.
inline Regions dead_behind_diagonal(const Case& c) {
  const int64_t width = c.dim("aw"), tokens = c.dim("T");
  Regions regions;
  for (int64_t row = 0; row < c.dim("H") * width; ++row)
    regions.mark(row * width + (row % width < tokens ? row % width + 1 : 0), (row + 1) * width, Region::dead);
  return regions;
}

// The number of pairs of a query and a key that it sees, over all heads.
inline double causal_pairs(const Case& c) {
  const auto tokens = static_cast<double>(c.dim("T"));
  return static_cast<double>(c.dim("H")) * tokens * (tokens + 1) / 2;
}

}  // namespace assay::ops::heads

// The common part of the attention ops of a layer: queries and keys of T tokens in heads, and scores or probabilities
// [H, aw, aw], of which the first T of every row and the first T rows count.
#pragma once

#include "kernels/heads/problem.h"

namespace assay::ops::heads {

inline DimSpec score_width() {
  return {.name = "aw",
          .meaning = "elements from one row of scores to the next, at least T",
          .max = 1 << 24,
          .aliases = {"aligned_width", "score_stride", "row_stride"},
          .unpadded = "T"};
}

inline std::optional<Error> narrow_scores(const Case& c) {
  if (c.dim("aw") >= c.dim("T")) return std::nullopt;
  return Error{fmt::format("rows of aw={} scores do not hold those of T={} tokens", c.dim("aw"), c.dim("T")),
               fmt::format("take at least aw={}", c.dim("T"))};
}

// Rows that end with their tokens, odd ones, and those that a whole tile more makes: 0, 3 or 64 more than T.
inline void make_scores_wide_enough(Case& c) {
  const int64_t tokens = c.dim("T"), beyond = c.dim("aw") - tokens;
  c.set("aw", std::to_string(tokens + (beyond <= 0 ? 0 : beyond < 64 ? 3 : 64)));
}

inline std::optional<Error> wrong_head_major(const Case& c) {
  if (auto error = wrong_heads(c)) return error;
  return narrow_scores(c);
}

// Without saved probabilities there is one way to write their width.
inline void make_head_major_right(Case& c) {
  make_heads_right(c);
  if (c.find("probs") && c.text("probs") == "none") return c.set("aw", c.text("T"));
  make_scores_wide_enough(c);
}

inline Regions dead_pads_by_query(const Case& c) {
  Regions regions;
  mark_pads(regions, c, c.dim("H") * c.dim("T"), Region::dead);
  return regions;
}

inline Regions dead_pads_by_key(const Case& c) {
  Regions regions;
  mark_pads(regions, c, c.dim("HK") * c.dim("T"), Region::dead);
  return regions;
}

inline TensorSpec by_query(std::string name, MakeTensor make, std::vector<std::string> aliases) {  // (H, T, ad)
  return {.name = std::move(name),
          .shape = {"H", "T", "ad"},
          .make = std::move(make),
          .aliases = std::move(aliases),
          .regions = dead_pads_by_query};
}
inline TensorSpec by_key(std::string name, MakeTensor make, std::vector<std::string> aliases) {  // (HK, T, ad)
  return {.name = std::move(name),
          .shape = {"HK", "T", "ad"},
          .make = std::move(make),
          .aliases = std::move(aliases),
          .regions = dead_pads_by_key};
}

// All rows and columns of [H, aw, aw] from T on.
inline Regions beyond_tokens(const Case& c, Region region) {
  const int64_t heads = c.dim("H"), width = c.dim("aw"), tokens = c.dim("T");
  Regions regions;
  for (int64_t row = 0; row < heads * width; ++row)
    regions.mark(row * width + (row % width < tokens ? tokens : 0), (row + 1) * width, region);
  return regions;
}
inline Regions scores_beyond_tokens(const Case& c) { return beyond_tokens(c, Region::unspecified); }

}  // namespace assay::ops::heads

// The common part of ops on heads with padding: q [H, T, ad] and k, v [HK, slots, ad], of which the last `pad` lanes of
// every row are padding and D = ad - pad are not.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "harness/op/contract.h"

namespace assay::ops::heads {

inline int64_t head_dim(const Case& c) { return c.dim("ad") - c.dim("pad"); }

inline DimSpec tokens(int64_t min) {
  return {.name = "T",
          .meaning = "tokens",
          .min = min,
          .aliases = {"N", "S", "seq_len", "num_tokens", "tokens", "n_tokens"}};
}

inline DimSpec query_heads() {
  return {.name = "H",
          .meaning = "query heads",
          .max = 1 << 16,
          .boundary = {1, 2, 4, 6, 8, 14, 32},
          .usual_max = 32,
          .aliases = {"NH", "heads", "n_heads", "num_heads", "num_q_heads"},
          .repeats = true};
}

inline DimSpec key_heads() {
  return {.name = "HK",
          .meaning = "key and value heads",
          .max = 1 << 16,
          .boundary = {1, 2, 3, 4, 8},
          .usual_max = 8,
          .aliases = {"h_kv", "kv_heads", "n_kv_heads", "num_kv_heads"},
          .repeats = true};
}

inline DimSpec row_stride(int64_t min) {
  return {.name = "ad",
          .meaning = "elements of a head, padding included",
          .min = min,
          .max = 1 << 16,
          .boundary = {8, 16, 40, 64, 72, 80, 96, 128, 192, 256},
          .usual_max = 288,
          .aliases = {"aligned_dim", "head_stride", "D", "HS", "head_dim", "head_size"}};
}

inline DimSpec padding() {
  return {.name = "pad",
          .meaning = "elements of padding at the end of a head",
          .min = 0,
          .max = 255,
          .aliases = {"padding", "head_padding"}};
}

inline std::optional<Error> wrong_heads(const Case& c) {
  const int64_t heads = c.dim("H"), kv_heads = c.dim("HK");
  if (heads % kv_heads != 0)
    return Error{fmt::format("H={} is no multiple of HK={}", heads, kv_heads),
                 fmt::format("every key head serves H/HK query heads: take HK={} or H={}", heads,
                             (heads / kv_heads + 1) * kv_heads)};
  if (head_dim(c) < 1)
    return Error{
        fmt::format("a head of ad={} elements, of which pad={} are padding, has none left", c.dim("ad"), c.dim("pad")),
        "make pad smaller than ad"};
  return std::nullopt;
}

inline void make_heads_right(Case& c) {
  c.set("H", std::to_string(std::max<int64_t>(1, c.dim("H") / c.dim("HK")) * c.dim("HK")));
  c.set("pad", std::to_string(std::min(c.dim("pad"), c.dim("ad") - 1)));
}

// The padding of `rows` rows.
inline void mark_pads(Regions& regions, const Case& c, int64_t rows, Region region) {
  regions.mark_columns(rows, c.dim("ad"), head_dim(c), c.dim("ad"), region);
}

// The rows from T on of `heads` heads of `slots` rows.
inline void mark_later_slots(Regions& regions, const Case& c, int64_t heads, int64_t slots, Region region) {
  regions.mark_columns(heads, slots * c.dim("ad"), c.dim("T") * c.dim("ad"), slots * c.dim("ad"), region);
}

}  // namespace assay::ops::heads

// The common part of the contracts of embedding_forward and embedding_backward: the table, and the ids of the tokens.
#pragma once

#include <algorithm>
#include <numeric>

#include "harness/op/contract.h"

namespace assay::ops::embedding {

inline DimSpec width() {
  return {.name = "dim",
          .meaning = "elements of an embedding",
          .min = 0,
          .boundary = {3, 8, 129, 1025},
          .aliases = {"C", "D", "hidden", "hidden_size", "embedding_dim", "embed_dim", "n_embd"}};
}
inline DimSpec vocabulary() {
  return {.name = "vocab",
          .meaning = "rows of the table",
          .min = 0,
          .max = 0xFFFFFFFF,
          .boundary = {1, 2, 257},
          .aliases = {"V", "vocab_size", "num_embeddings", "num_weights"}};
}
inline AttrSpec ids() {
  return {.name = "ids", .meaning = "how ids are chosen", .choices = {"distinct", "repeated", "out_of_range"}};
}

// Without a table all ids are of no row, and a kernel that counts on rows cannot be right.
inline bool has_no_row(const Case& c) {
  return c.dim("vocab") == 0 && c.dim("S") > 0 && c.text("ids") != "out_of_range";
}

inline std::optional<Error> no_row(const Case& c) {
  if (!has_no_row(c)) return std::nullopt;
  return Error{"vocab is 0, so no id has a row", "use ids=out_of_range"};
}

inline void admit_no_row(Case& c) {
  if (has_no_row(c)) c.set("ids", "out_of_range");
}

// An id without a row: the first one beyond the table, its neighbour, and two that are negative when read as int.
inline uint32_t missing_id(int64_t vocab, Rng& rng) {
  const int64_t ids[] = {vocab, vocab + 1, std::max<int64_t>(vocab, 0x80000000), 0xFFFFFFFF};
  return static_cast<uint32_t>(std::min<int64_t>(ids[rng.below(4)], 0xFFFFFFFF));
}

// distinct: an arithmetic progression modulo vocab, so no id comes twice while S <= vocab. repeated: at most four ids.
// out_of_range: likewise, but a third of the tokens, and one of them for certain, have no row.
inline void make_ids(const Case& c, Rng& rng, Tensor& ids) {
  const int64_t tokens = c.dim("S"), vocab = c.dim("vocab");
  if (tokens == 0) return;
  const auto rows = static_cast<uint64_t>(std::max<int64_t>(1, vocab));
  const uint64_t offset = rng.below(rows), pool = std::min<uint64_t>(4, rows);
  uint64_t step = 1 + rng.below(rows);
  while (std::gcd(step, rows) != 1) ++step;
  const auto missing_for_certain = static_cast<int64_t>(rng.below(static_cast<uint64_t>(tokens)));
  const bool distinct = c.text("ids") == "distinct", out_of_range = c.text("ids") == "out_of_range";
  for (int64_t s = 0; s < tokens; ++s) {
    const uint64_t pick = rng.below(pool);
    const bool missing = rng.below(3) == 0 || s == missing_for_certain;
    const uint64_t id = distinct ? (offset + static_cast<uint64_t>(s) % rows * step) % rows : pick * (rows / pool);
    ids.set_bits(s, vocab == 0 || (out_of_range && missing) ? missing_id(vocab, rng) : static_cast<uint32_t>(id));
  }
}

inline TensorSpec ids_of_tokens() {
  return {.name = "ids",
          .shape = {"S"},
          .dtype = DType::u32,
          .make = make_ids,
          .aliases = {"inp", "tokens", "token_ids", "indices", "idx", "input_ids"}};
}

}  // namespace assay::ops::embedding

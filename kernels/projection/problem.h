// The common part of the contracts of the projections of a transformer layer: dims, data, and the sum of one element.
#pragma once

#include "harness/op/contract.h"
#include "kernels/attention/problem.h"
#include "kernels/data/tensors.h"

namespace assay::ops::projection {

inline constexpr double kLargest = 1e15;  // sums of a million products of two are finite in f32

inline void make_values(const Case& c, Rng& rng, Tensor& tensor) { apply_fill(c, rng, kLargest, tensor); }

inline void make_factor(const Case& c, Rng& rng, Tensor& tensor) { make_values(data::not_subnormal(c), rng, tensor); }

inline DimSpec tokens() {
  return {.name = "T",
          .meaning = "tokens",
          .min = 0,
          .boundary = {1, 2, 31, 33, 65},
          .aliases = {"BT", "S", "rows", "tokens", "num_tokens", "n_tokens", "seq_len"}};
}
inline DimSpec embedding() {
  return {.name = "aE",
          .meaning = "elements of a token's row, padding included",
          .boundary = {1, 7, 8, 33, 64, 96},
          .aliases = {"E", "C", "dim", "stride", "hidden", "hidden_size", "embed_dim", "n_embd", "d_model"}};
}
inline DimSpec heads() {
  return {.name = "H",
          .meaning = "query heads",
          .max = 1 << 16,
          .boundary = {1, 2, 3, 4, 9, 14, 32},
          .usual_max = 32,
          .aliases = {"NH", "heads", "n_head", "n_heads", "num_heads", "num_q_heads"},
          .repeats = true};
}
inline DimSpec kv_heads() {
  return {.name = "HK",
          .meaning = "key and value heads",
          .max = 1 << 16,
          .boundary = {1, 2, 3, 4, 8},
          .usual_max = 8,
          .aliases = {"h_kv", "kv_heads", "n_kv_heads", "num_kv_heads", "num_key_value_heads"},
          .repeats = true};
}
inline DimSpec lanes() {
  return {.name = "ad",
          .meaning = "elements of a head, padding included",
          .max = 1 << 16,
          .boundary = {1, 8, 40, 64, 72, 80, 96, 128, 256},
          .usual_max = 288,
          .aliases = {"D", "HS", "head_dim", "head_size", "aligned_dim", "aligned_head_dim"}};
}

// sum over i < terms of a[a_at + i·a_step] b[b_at + i·b_step], in double.
struct Walk {
  int64_t at, step = 1;
};
inline double sum_of_products(const Tensor& a, Walk from_a, const Tensor& b, Walk from_b, int64_t terms) {
  double sum = 0;
  for (int64_t i = 0; i < terms; ++i) sum += a.at(from_a.at + i * from_a.step) * b.at(from_b.at + i * from_b.step);
  return sum;
}

}  // namespace assay::ops::projection

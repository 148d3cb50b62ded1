// The sizes of attention over a cache, and how softmax sums over parts of the keys are put together.
//
// A part has m, the largest of its scores, l = sum_j exp(s_j - m) and out = sum_j exp(s_j - m) v_j. For several parts
// with the maximum M of all, l and out are the sums of theirs times exp(m - M) (Dao et al., "Flash-Decoding", 2023).
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/op/variant.h"

namespace assay::device {

struct DecodeArgs {
  int64_t heads, kv_heads, capacity, keys;
  int64_t dim, stride;  // elements of a head, without and with its padding
  float scale;

  __host__ __device__ int64_t group() const { return heads / kv_heads; }
  __host__ __device__ int64_t q_at(int64_t head) const { return head * stride; }
  __host__ __device__ int64_t kv_at(int64_t kv_head, int64_t slot) const {
    return (kv_head * capacity + slot) * stride;
  }
};

inline DecodeArgs decode_args(const Case& c) {
  const int64_t stride = c.dim("ad"), dim = stride - c.dim("pad");
  return {.heads = c.dim("H"),
          .kv_heads = c.dim("HK"),
          .capacity = c.dim("capacity"),
          .keys = c.dim("kv_tokens"),
          .dim = dim,
          .stride = stride,
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim)))};
}

inline std::optional<int64_t> decode_element_at(const Case& c, std::string_view tensor,
                                                const std::vector<int64_t>& index) {
  const DecodeArgs args = decode_args(c);
  if (tensor == "k" || tensor == "v") return args.kv_at(index[0], index[1]) + index[2];
  return args.q_at(index[0]) + index[1];
}

// exp(score - maximum), 0 where no score has been larger than -inf: there exp(-inf - -inf) would be NaN.
__device__ inline float decode_weight(float score, float maximum) {
  return expf(score - (maximum == -INFINITY ? 0 : maximum));
}

}  // namespace assay::device

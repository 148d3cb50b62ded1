// The parameters of every attention kernel: extents, strides, scale. Passed by value.
//
// Indices into the tensors are 64-bit products of these strides: a batch of long sequences has more than 2^32 elements.
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/op/variant.h"
#include "kernels/device/names.h"

namespace assay::device {

// The index where the elements of a (batch, token, head) begin, in elements; the D elements of a head are contiguous.
struct HeadStrides {
  int64_t batch, token, head;
  __host__ __device__ int64_t at(int64_t b, int64_t t, int64_t h) const { return b * batch + t * token + h * head; }
};

inline HeadStrides head_strides(bool head_major, int64_t tokens, int64_t heads, int64_t dim) {
  return head_major ? HeadStrides{heads * tokens * dim, dim, tokens * dim}
                    : HeadStrides{tokens * heads * dim, heads * dim, dim};
}

struct AttentionArgs {
  int64_t batch, queries, keys, heads, kv_heads, dim;
  float scale;
  bool causal;
  HeadStrides q;   // of q, o and their gradients
  HeadStrides kv;  // of k, v and their gradients

  __host__ __device__ int64_t kv_head(int64_t head) const { return head / (heads / kv_heads); }
  // Query i sees the keys 0 … visible(i) - 1.
  __host__ __device__ int64_t visible(int64_t query) const {
    if (!causal) return keys;
    const int64_t end = query + keys - queries + 1;
    return end < 0 ? 0 : end < keys ? end : keys;
  }
  // The first query that sees key j.
  __host__ __device__ int64_t first_query(int64_t key) const {
    const int64_t first = key - (keys - queries);
    return !causal || first < 0 ? 0 : first;
  }
};

inline AttentionArgs attention_args(const Case& c) {
  const int64_t queries = c.dim("Sq"), keys = c.dim("Sk"), heads = c.dim("H"), kv_heads = c.dim("HK");
  const int64_t dim = c.dim("D");
  const bool head_major = c.text("layout") == "head_major";
  const double scale = c.text("scale") == "auto" ? 1 / std::sqrt(static_cast<double>(dim)) : c.real("scale");
  return {.batch = c.dim("B"),
          .queries = queries,
          .keys = keys,
          .heads = heads,
          .kv_heads = kv_heads,
          .dim = dim,
          .scale = static_cast<float>(scale),
          .causal = c.text("causal") == "1",
          .q = head_strides(head_major, queries, heads, dim),
          .kv = head_strides(head_major, keys, kv_heads, dim)};
}

inline AttentionArgs attention_args(const Call& call) { return attention_args(call.c()); }

// Variant::element_at of kernels that find elements by AttentionArgs::q and kv.
inline std::optional<int64_t> attention_element_at(const Case& c, std::string_view tensor,
                                                   const std::vector<int64_t>& index) {
  const AttentionArgs a = attention_args(c);
  const bool by_query = is_one_of(tensor, "q o do dq"), by_key = is_one_of(tensor, "k v dk dv");
  if (index.size() != 4 || !(by_query || by_key)) return std::nullopt;
  const bool head_major = c.text("layout") == "head_major";
  const HeadStrides& strides = by_query ? a.q : a.kv;
  return strides.at(index[0], index[head_major ? 2 : 1], index[head_major ? 1 : 2]) + index[3];
}

}  // namespace assay::device

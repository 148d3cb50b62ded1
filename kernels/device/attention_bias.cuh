// The additive bias and the mask of attention kernels that take them: each broadcast in its own way over batch, heads
// and queries.
#pragma once

#include "kernels/device/attention.cuh"

namespace assay::device {

// The index where the Sk elements of a query's row begin. An extent of 1 has stride 0; with an extent of HK a head has
// its group's.
struct BroadcastStrides {
  int64_t batch, head, query;
  int64_t heads_sharing;  // query heads that have the same rows
  __host__ __device__ int64_t at(int64_t b, int64_t h, int64_t i) const {
    return b * batch + h / heads_sharing * head + i * query;
  }
};

// The extents of a bias or a mask, all except Sk.
struct BroadcastExtents {
  int64_t batches, heads, queries;
};

template <class T>
struct AttentionBias {
  const T* bias;        // (bias_batch, bias_heads, bias_queries, Sk)
  const uint8_t* mask;  // (mask_batch, mask_heads, mask_queries, Sk), 0 removes; null: nothing is removed
  BroadcastStrides bias_at, mask_at;

  // These take any pair of any head, for kernels that do not stay with one.
  __device__ bool keeps(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return !mask || mask[mask_at.at(b, h, i) + j] != 0;
  }
  __device__ float added(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return static_cast<float>(bias[bias_at.at(b, h, i) + j]);
  }

  // Moves to the rows of one head; call it once, before the functions below.
  __device__ void to_head(int64_t b, int64_t h) {
    bias += bias_at.at(b, h, 0);
    if (mask) mask += mask_at.at(b, h, 0);
  }
  __device__ bool keeps(int64_t i, int64_t j) const { return !mask || mask[i * mask_at.query + j] != 0; }
  // The score of query i and key j with its bias; -inf for a removed pair.
  __device__ float operator()(float score, int64_t i, int64_t j) const {
    return keeps(i, j) ? score + static_cast<float>(bias[i * bias_at.query + j]) : -INFINITY;
  }
};

// tensor: "bias" or "mask", whose extents are the attributes <tensor>_batch, <tensor>_heads and <tensor>_queries.
inline BroadcastExtents broadcast_extents(const Case& c, const std::string& tensor) {
  const auto extent = [&](const char* of) {
    const std::string& text = c.text(tensor + of);  // 1, or the name of a dim
    return text == "1" ? 1 : c.dim(text);
  };
  return {.batches = extent("_batch"), .heads = extent("_heads"), .queries = extent("_queries")};
}

inline BroadcastStrides broadcast_strides(const Case& c, const std::string& tensor) {
  const BroadcastExtents extents = broadcast_extents(c, tensor);
  const int64_t keys = c.dim("Sk");
  return {.batch = extents.batches == 1 ? 0 : extents.heads * extents.queries * keys,
          .head = extents.queries * keys,
          .query = extents.queries == 1 ? 0 : keys,
          .heads_sharing = c.dim("H") / extents.heads};
}

// The indices where the rows of dBias begin: one for each of the bias, `stride` elements from one to the next.
struct BiasGradientRows {
  BroadcastExtents extents;
  int64_t stride;
  __host__ __device__ int64_t at(int64_t batch, int64_t head, int64_t query) const {
    return ((batch * extents.heads + head) * extents.queries + query) * stride;
  }
};

inline BiasGradientRows bias_gradient_rows(const Case& c) {
  return {broadcast_extents(c, "bias"), c.dim("Sk") + c.dim("dbias_pad")};
}

inline Domain any_dbias_pad() { return {.name = "dbias_pad", .min = 0, .max = 255}; }

template <class T>
AttentionBias<T> attention_bias(const Call& call) {
  return {.bias = call.in<T>("bias"),
          .mask = call.in<uint8_t>("mask"),
          .bias_at = broadcast_strides(call.c(), "bias"),
          .mask_at = broadcast_strides(call.c(), "mask")};
}

// Variant::element_at of kernels that find elements by AttentionArgs and BroadcastStrides.
inline std::optional<int64_t> attention_bias_element_at(const Case& c, std::string_view tensor,
                                                        const std::vector<int64_t>& index) {
  if (tensor == "dbias") return bias_gradient_rows(c).at(index[0], index[1], index[2]) + index[3];
  if (index.size() != 4 || (tensor != "bias" && tensor != "mask")) return attention_element_at(c, tensor, index);
  // index[1] is a row of the tensor; the first query head that reads it.
  const BroadcastStrides strides = broadcast_strides(c, std::string(tensor));
  return strides.at(index[0], index[1] * strides.heads_sharing, index[2]) + index[3];
}

}  // namespace assay::device

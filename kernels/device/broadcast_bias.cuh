// The additive bias and the mask of an attention kernel: strides into tensors that are broadcast, and which of their
// heads a query head reads.
#pragma once

#include <cstdint>

#include "harness/op/variant.h"

namespace assay::device {

// A tensor (batches, heads, queries, Sk) whose first three extents may be 1: strides in elements, 0 where it is
// broadcast.
struct BroadcastStrides {
  int64_t batch, head, query;
  int64_t heads_per_head;  // query heads that share one of its heads
  __host__ __device__ int64_t at(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return b * batch + h / heads_per_head * head + i * query + j;
  }
};

struct BroadcastExtents {
  int64_t batches, heads, queries;
};

// Extents of a bias or a mask, from the attributes `<name>_batch`, `_heads` and `_queries` of a Case or a Call.
template <class Attributes>
BroadcastExtents broadcast_extents(const Attributes& c, const std::string& name) {
  const auto extent = [&](const char* of) {
    const std::string& text = c.text(name + of);
    return text == "1" ? int64_t{1} : c.dim(text);
  };
  return {.batches = extent("_batch"), .heads = extent("_heads"), .queries = extent("_queries")};
}

inline BroadcastStrides broadcast_strides(const BroadcastExtents& extents, int64_t query_heads, int64_t keys) {
  return {.batch = extents.batches == 1 ? 0 : extents.heads * extents.queries * keys,
          .head = extents.queries * keys,
          .query = extents.queries == 1 ? 0 : keys,
          .heads_per_head = query_heads / extents.heads};
}

// What the tiles ask of a bias and a mask.
template <class T>
struct BroadcastBias {
  const T* values;
  BroadcastStrides at;
  const uint8_t* mask;  // 0 removes a pair; nullptr: none is removed
  BroadcastStrides mask_at;
  __device__ bool keeps(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return mask == nullptr || mask[mask_at.at(b, h, i, j)] != 0;
  }
  __device__ float bias(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return static_cast<float>(values[at.at(b, h, i, j)]);
  }
};

// The bias and the mask of a case, whose tensors have these names.
template <class T>
BroadcastBias<T> broadcast_bias(const Call& call) {
  const int64_t heads = call.dim("H"), keys = call.dim("Sk");
  return {.values = call.in<T>("bias"),
          .at = broadcast_strides(broadcast_extents(call, "bias"), heads, keys),
          .mask = call.text("mask") == "none" ? nullptr : call.in<uint8_t>("mask"),
          .mask_at = broadcast_strides(broadcast_extents(call, "mask"), heads, keys)};
}

}  // namespace assay::device

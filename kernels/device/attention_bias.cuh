// What a bias and a mask do to the scores of one head: the adjustment that attention forward kernels take.
#pragma once

#include "kernels/device/attention.cuh"
#include "kernels/device/broadcast_bias.cuh"

namespace assay::device {

template <class T>
struct AttentionBias {
  BroadcastBias<T> tensors;

  // To be called first: moves to the rows of one head, so that no index inside has a division.
  __device__ void to_head(int64_t b, int64_t h) {
    tensors.values += tensors.at.at(b, h, 0, 0);
    if (tensors.mask) tensors.mask += tensors.mask_at.at(b, h, 0, 0);
  }
  __device__ bool keeps(int64_t i, int64_t j) const { return tensors.keeps(0, 0, i, j); }
  // The score of query i and key j with its bias; -inf for a removed pair.
  __device__ float operator()(float score, int64_t i, int64_t j) const {
    return keeps(i, j) ? score + tensors.bias(0, 0, i, j) : -INFINITY;
  }
};

template <class T>
AttentionBias<T> attention_bias(const Call& call) {
  return {broadcast_bias<T>(call)};
}

// Variant::element_at of kernels that find elements by AttentionArgs and BroadcastStrides.
inline std::optional<int64_t> attention_bias_element_at(const Case& c, std::string_view tensor,
                                                        const std::vector<int64_t>& index) {
  if (index.size() != 4 || (tensor != "bias" && tensor != "mask")) return attention_element_at(c, tensor, index);
  const BroadcastStrides strides =
      broadcast_strides(broadcast_extents(c, std::string(tensor)), c.dim("H"), c.dim("Sk"));
  return strides.at(index[0], index[1] * strides.heads_per_head, index[2], index[3]);  // a query head that reads it
}

}  // namespace assay::device

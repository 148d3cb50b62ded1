// Scores that are scale·q·k and nothing else: the interface of AttentionBias (attention_bias.cuh) for ops without bias
// and mask.
#pragma once

#include <cstdint>

namespace assay::device {

struct NoBias {
  __device__ bool keeps(int64_t, int64_t, int64_t, int64_t) const { return true; }
  __device__ float added(int64_t, int64_t, int64_t, int64_t) const { return 0; }
  __device__ void to_head(int64_t, int64_t) {}
  __device__ bool keeps(int64_t, int64_t) const { return true; }
  __device__ float operator()(float score, int64_t, int64_t) const { return score; }
};

}  // namespace assay::device

// What an op without bias and mask does to a score before the softmax: nothing. Beside attention_bias.cuh, whose
// interface it has.
#pragma once

#include <cstdint>

namespace assay::device {

struct UnchangedScores {
  __device__ void to_head(int64_t, int64_t) {}
  __device__ float operator()(float score, int64_t, int64_t) const { return score; }
};

}  // namespace assay::device

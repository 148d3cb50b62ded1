// Rows of weights whose format is known when a kernel runs: elements as they are, or one of the seven kinds of blocks.
//
// A kernel of two matrices would be compiled 64 times if both formats were template arguments. The choice is the same
// for all threads, and costs a branch for each element; a kernel for the formats of one model would be compiled for
// them.
#pragma once

#include "kernels/device/quantised.cuh"

namespace assay::device {

enum class WeightKind : uint8_t { plain, q4_0, q4_1, q5_0, q5_1, q8_0, q4_k, q6_k };

// The kind of a format's name, or of none.
inline WeightKind weight_kind(std::string_view format) {
  constexpr std::string_view kNames[] = {"none", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "q4_k", "q6_k"};
  for (uint8_t kind = 0; kind < 8; ++kind)
    if (kNames[kind] == format) return static_cast<WeightKind>(kind);
  return WeightKind::plain;
}

// A row of blocks: f.operator()<Format>() for its kind, 0 for a plain one.
template <class F>
__device__ float in_kind(WeightKind kind, F f) {
  switch (kind) {
    case WeightKind::plain:
      return 0;
    case WeightKind::q4_0:
      return f.template operator()<SplitHalves<false, false>>();
    case WeightKind::q4_1:
      return f.template operator()<SplitHalves<true, false>>();
    case WeightKind::q5_0:
      return f.template operator()<SplitHalves<false, true>>();
    case WeightKind::q5_1:
      return f.template operator()<SplitHalves<true, true>>();
    case WeightKind::q8_0:
      return f.template operator()<Q8_0>();
    case WeightKind::q4_k:
      return f.template operator()<Q4_K>();
    case WeightKind::q6_k:
      return f.template operator()<Q6_K>();
  }
  return 0;
}

// Element (row, k) of a matrix of blocks whose rows have `length` elements.
__device__ inline float block_element(WeightKind kind, const void* matrix, int64_t length, int64_t row, int64_t k) {
  return in_kind(kind, [&]<class Format>() {
    const int64_t bytes = length / Format::kElements * Format::kBytes;
    return element_in<Format>(static_cast<const uint8_t*>(matrix) + row * bytes, k);
  });
}

}  // namespace assay::device

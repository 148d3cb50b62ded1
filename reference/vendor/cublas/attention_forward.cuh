// Attention by two batches of products, a product for each group of heads, around a softmax of ours: what causal
// attention and decoding have in common.
#pragma once

#include "reference/vendor/cublas/attention_rows.cuh"
#include "reference/vendor/cublas/grouped_heads.h"
#include "reference/vendor/workspace.h"

namespace assay::vendor {

inline int64_t score_bytes(const GroupedHeads& a) { return align_workspace(a.pairs() * int64_t{sizeof(float)}); }

// Scores in f32, and weights in the case's dtype, which replace the scores where that is f32 too.
inline int64_t forward_workspace_bytes(const GroupedHeads& a) {
  return score_bytes(a) + (a.dtype == DType::f32 ? 0 : a.pairs() * static_cast<int64_t>(size_of(a.dtype)));
}

// Writes out from q, k and v. The weights go to `saved` too, (heads, width, width), unless it is null.
template <class T>
void attend(const Call& call, const GroupedHeads& a, bool causal, T* saved, int64_t width) {
  auto* const scores = call.workspace<float>();
  T* p = reinterpret_cast<T*>(call.workspace<char>() + score_bytes(a));
  if constexpr (std::is_same_v<T, float>) p = scores;
  T* const out = call.out<T>("out");
  a.multiply_rows(a.scale(), call.in<void>("q"), call.in<void>("k"), scores);
  launch(softmax_pairs<T>, block_per_row(a.all_rows()), scores, p, saved, a.all_rows(), a.keys, width, causal);
  a.sum_keys(1, p, call.in<void>("v"), out);
  launch_clear_padding(out, a.all_rows(), a.dim, a.lanes);
}

}  // namespace assay::vendor

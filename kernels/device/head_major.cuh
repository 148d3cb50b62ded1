// Heads with padding for the attention kernels: (heads, T, ad), of which D = ad - pad lanes of a row count.
#pragma once

#include "kernels/device/attention.cuh"

namespace assay::device {

// The scale is of D, the strides of ad.
inline AttentionArgs head_major_args(const Case& c) {
  const int64_t tokens = c.dim("T"), heads = c.dim("H"), kv_heads = c.dim("HK"), stride = c.dim("ad");
  const int64_t dim = stride - c.dim("pad");
  return {.batch = 1,
          .queries = tokens,
          .keys = tokens,
          .heads = heads,
          .kv_heads = kv_heads,
          .dim = dim,
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim))),
          .causal = true,
          .q = head_strides(true, tokens, heads, stride),
          .kv = head_strides(true, tokens, kv_heads, stride)};
}

// Scores or probabilities (heads, width, width): where the row of a query begins.
__host__ __device__ inline int64_t score_row(int64_t head, int64_t query, int64_t width) {
  return (head * width + query) * width;
}

// Variant::element_at of kernels all of whose tensors are of that shape.
inline std::optional<int64_t> score_element_at(const Case& c, std::string_view, const std::vector<int64_t>& index) {
  return score_row(index[0], index[1], c.dim("aw")) + index[2];
}

inline std::optional<int64_t> head_major_element_at(const Case& c, std::string_view tensor,
                                                    const std::vector<int64_t>& index) {
  if (is_one_of(tensor, "probs w ds")) return score_element_at(c, tensor, index);
  const AttentionArgs a = head_major_args(c);
  return (is_one_of(tensor, "k v dk dv") ? a.kv : a.q).at(0, index[1], index[0]) + index[2];
}

// Writes 0 into the lanes dim … stride - 1 of `rows` rows.
template <class T>
__global__ void clear_padding(T* x, int64_t rows, int64_t dim, int64_t stride) {
  const int64_t lanes = stride - dim, step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; n < rows * lanes; n += step)
    x[n / lanes * stride + dim + n % lanes] = static_cast<T>(0.0f);
}

template <class T>
void launch_clear_padding(T* x, int64_t rows, int64_t dim, int64_t stride) {
  constexpr int64_t kBlocksMax = 65535, kThreads = 256;  // further lanes by the loop
  if (stride == dim) return;
  const int64_t blocks = (rows * (stride - dim) - 1) / kThreads + 1;
  launch(clear_padding<T>,
         {.grid = dim3(static_cast<unsigned>(blocks < kBlocksMax ? blocks : kBlocksMax)), .block = dim3(kThreads)}, x,
         rows, dim, stride);
}

}  // namespace assay::device

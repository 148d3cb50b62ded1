// The product of attention_project as one of matrices for each head, whose sums go on from head to head.
#pragma once

#include "kernels/device/formats.cuh"
#include "kernels/device/gemm.cuh"
#include "kernels/device/quantised.cuh"

namespace assay::device {

struct AttentionProjectArgs {
  int64_t heads, tokens, lanes, outs;
  bool by_head;  // Wo is (heads, outs, lanes), else (outs, heads, lanes)

  __host__ __device__ int64_t attn_at(int64_t head, int64_t token, int64_t lane) const {
    return (head * tokens + token) * lanes + lane;
  }
  __host__ __device__ int64_t wo_at(int64_t out, int64_t head, int64_t lane) const {
    return by_head ? (head * outs + out) * lanes + lane : (out * heads + head) * lanes + lane;
  }
  // attn of a head (tokens, lanes) times its part of Wo (outs, lanes), from attn_at(head, 0, 0) and wo_at(0, head, 0).
  __host__ __device__ GemmArgs of_head(const float* bias) const {
    return {.rows = tokens, .cols = outs, .depth = lanes, .b = by_i(by_head ? lanes : heads * lanes), .bias = bias};
  }
};

inline AttentionProjectArgs attention_project_args(const Case& c) {
  return {.heads = c.dim("H"),
          .tokens = c.dim("T"),
          .lanes = c.dim("ad"),
          .outs = c.dim("aE"),
          .by_head = c.text("wo") == "by_head"};
}

inline std::optional<int64_t> attention_project_element_at(const Case& c, std::string_view tensor,
                                                           const std::vector<int64_t>& index) {
  const AttentionProjectArgs args = attention_project_args(c);
  const bool in_blocks = is_in_blocks(c, "wo");
  if (tensor == "wo" && in_blocks) return quantised_element_at(c.text("wo_format"), args.heads * args.lanes, index);
  if (tensor == "attn") return args.attn_at(index[0], index[1], index[2]);
  if (tensor == "wo" && args.by_head) return args.wo_at(index[1], index[0], index[2]);
  if (tensor == "wo") return args.wo_at(index[0], index[1] / args.lanes, index[1] % args.lanes);
  if (tensor == "out") return args.of_head(nullptr).c_at(index[0], index[1]);
  return std::nullopt;
}

}  // namespace assay::device

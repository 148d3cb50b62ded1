// The products of mlp_swiglu, and what lies between them.
#pragma once

#include "kernels/device/formats.cuh"
#include "kernels/device/gemm.cuh"
#include "kernels/device/quantised.cuh"

namespace assay::device {

struct MlpArgs {
  GemmArgs up, down;  // h (T, 2 aI) = x W1ᵀ + b1, and y (T, aE) = g W2ᵀ + b2
};

inline MlpArgs mlp_args(const Case& c, const float* b1, const float* b2) {
  const int64_t tokens = c.dim("T"), width = c.dim("aE"), inner = c.dim("aI");
  return {.up = {.rows = tokens, .cols = 2 * inner, .depth = width, .bias = b1},
          .down = {.rows = tokens, .cols = width, .depth = inner, .bias = b2}};
}
inline MlpArgs mlp_args(const Call& call) { return mlp_args(call.c(), call.in<float>("b1"), call.in<float>("b2")); }

// silu(gate) · up; exp(-gate) may be infinite, and the quotient is 0 then.
__device__ inline float gated(float gate, float up) { return gate / (1 + expf(-gate)) * up; }

inline std::optional<int64_t> mlp_element_at(const Case& c, std::string_view tensor,
                                             const std::vector<int64_t>& index) {
  const MlpArgs args = mlp_args(c, nullptr, nullptr);
  if (is_in_blocks(c, std::string(tensor)))
    return quantised_element_at(c.text(std::string(tensor) + "_format"), c.dim(tensor == "w1" ? "aE" : "aI"), index);
  if (tensor == "x") return args.up.a.at(index[0], index[1]);
  if (tensor == "w1") return args.up.b.at(index[0], index[1]);
  if (tensor == "w2") return args.down.b.at(index[0], index[1]);
  if (tensor == "h" && index.size() == 2) return args.up.c_at(index[0], index[1]);
  if (tensor == "g" && index.size() == 2) return args.down.a.at(index[0], index[1]);
  if (tensor == "y") return args.down.c_at(index[0], index[1]);
  return std::nullopt;
}

}  // namespace assay::device

// The three sums of a linear layer's backward as matrix products: dX = dY W and dW = dYᵀ X.
#pragma once

#include "kernels/device/gemm.cuh"

namespace assay::device {

struct LinearBackwardArgs {
  GemmArgs dx, dw;  // (T, K) over N, and (N, K) over T
};

inline LinearBackwardArgs linear_backward_args(const Case& c) {
  const int64_t tokens = c.dim("T"), outs = c.dim("N"), ins = c.dim("K");
  return {
      .dx = {.rows = tokens, .cols = ins, .depth = outs, .b = by_k(ins), .accumulates = c.text("dx") == "accumulate"},
      .dw = {.rows = outs,
             .cols = ins,
             .depth = tokens,
             .a = by_k(outs),
             .b = by_k(ins),
             .accumulates = c.text("dw") == "accumulate"}};
}

inline std::optional<int64_t> linear_backward_element_at(const Case& c, std::string_view tensor,
                                                         const std::vector<int64_t>& index) {
  const LinearBackwardArgs args = linear_backward_args(c);
  if (tensor == "dy") return args.dx.a.at(index[0], index[1]);
  if (tensor == "x") return args.dw.b.at(index[1], index[0]);
  if (tensor == "w") return args.dx.b.at(index[1], index[0]);
  if (tensor == "dx") return args.dx.c_at(index[0], index[1]);
  if (tensor == "dw") return args.dw.c_at(index[0], index[1]);
  return std::nullopt;
}

}  // namespace assay::device

// The cases that cuDNN's fused attention takes and computes, as far as its files share that.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "harness/case/case.h"
#include "harness/tensor/fill.h"

namespace assay::vendor {

// In f32, cuDNN 9.14 plans for more and leaves elements of o beyond the 128th unwritten (H200).
inline int64_t head_max(DType dtype) { return dtype == DType::f32 ? 128 : 256; }

inline std::optional<std::string> unsupported_heads(const Case& c, int64_t dim, bool causal) {
  const int64_t most = head_max(c.dtype);
  if (dim % 8 != 0 || dim > most)
    return "cuDNN's heads have a multiple of 8 elements, up to " + std::to_string(most) + " in this dtype";
  if (causal && find_fill(c.fill)->has_nan) return "multiplies hidden pairs by 0, which leaves a NaN a NaN";
  return std::nullopt;
}

inline int64_t supported_head(DType dtype, int64_t dim) { return std::min(head_max(dtype), (dim + 7) / 8 * 8); }

}  // namespace assay::vendor

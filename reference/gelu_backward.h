// gelu_backward in plain loops: dy times the slope.
#pragma once

#include "harness/op/reference.h"
#include "reference/gelu.h"

namespace assay::reference {

template <class S>
void gelu_backward(ReferenceIo<S>& io) {
  const auto &x = io.in("x"), &dy = io.in("dy");  // (N)
  auto& dx = io.out("dx");                        // (N)
  const bool by_erf = io.text("form") == "erf";
  for (int64_t i = 0; i < io.dim("N"); ++i) dx[i] = gelu_slope(x[i], by_erf) * dy[i];
}

}  // namespace assay::reference

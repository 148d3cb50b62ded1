// gelu_forward in plain loops.
#pragma once

#include "harness/op/reference.h"
#include "reference/gelu.h"

namespace assay::reference {

template <class S>
void gelu_forward(ReferenceIo<S>& io) {
  const auto& x = io.in("x");  // (N)
  auto& y = io.out("y");       // (N)
  const bool by_erf = io.text("form") == "erf";
  for (int64_t i = 0; i < io.dim("N"); ++i) y[i] = gelu(x[i], by_erf);
}

}  // namespace assay::reference

// residual_add in plain loops.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void residual_add(ReferenceIo<S>& io) {
  const auto &a = io.in("a"), &b = io.in("b");  // (T, aE)
  auto& out = io.out("out");                    // (T, aE)
  for (int64_t i = 0; i < io.dim("T") * io.dim("aE"); ++i) out[i] = a[i] + b[i];
}

}  // namespace assay::reference

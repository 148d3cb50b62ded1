// residual_add_backward in plain loops: two copies, so it also runs on bare bits.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void residual_add_backward(ReferenceIo<S>& io) {
  const auto& dout = io.in("dout");             // (T, aE)
  auto &da = io.out("da"), &db = io.out("db");  // (T, aE)
  for (int64_t i = 0; i < io.dim("T") * io.dim("aE"); ++i) da[i] = db[i] = dout[i];
}

}  // namespace assay::reference

// transpose_2d in plain loops: a copy, so it also runs on bare bits.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void transpose_2d(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), cols = io.dim("cols");
  const auto& in = io.in("in");  // (rows, cols)
  auto& out = io.out("out");     // (cols, rows)

  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) out(c, r) = in(r, c);
}

}  // namespace assay::reference

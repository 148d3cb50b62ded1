// embedding_forward in plain loops: every token's row of the table, and of the positions where there are some.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void embedding_forward(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("S"), positions = io.dim("T"), dim = io.dim("dim"), vocab = io.dim("vocab");
  const auto& w = io.in("w");  // (vocab, dim)
  auto& y = io.out("y");       // (S, dim)
  for (int64_t s = 0; s < tokens; ++s) {
    const int64_t id = io.index("ids", s);
    for (int64_t d = 0; d < dim; ++d) {
      if (id >= vocab)
        y(s, d) = S(0);
      else
        y(s, d) = io.has("pos") ? w(id, d) + io.in("pos")(s % positions, d) : w(id, d);
    }
  }
}

}  // namespace assay::reference

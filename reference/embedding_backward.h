// embedding_backward in plain loops: every token adds its gradient to the row of its id, unless there is no such row.
#pragma once

#include <vector>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void embedding_backward(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("S"), dim = io.dim("dim"), vocab = io.dim("vocab");
  const auto& g = io.in("g");  // (S, dim)
  auto& dw = io.out("dw");     // (vocab, dim)

  std::vector<std::vector<int64_t>> tokens_of(static_cast<size_t>(vocab));
  for (int64_t s = 0; s < tokens; ++s)
    if (io.index("ids", s) < vocab) tokens_of[static_cast<size_t>(io.index("ids", s))].push_back(s);
  for (int64_t v = 0; v < vocab; ++v) {
    for (int64_t d = 0; d < dim; ++d) {
      Sum<S> sum;
      sum.add(dw(v, d));
      for (const int64_t s : tokens_of[static_cast<size_t>(v)]) sum.add(g(s, d));
      dw(v, d) = sum.value();
    }
  }
}

}  // namespace assay::reference

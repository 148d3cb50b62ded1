// attention_backward_delta in plain loops: a dot product for every head of every token.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void attention_backward_delta(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("B") * io.dim("S"), heads = io.dim("H"), dim = io.dim("D");
  const auto& grad = io.in("dO");   // (B, S, H*D)
  const auto& output = io.in("O");  // (B, S, H*D)
  auto& delta = io.out("delta");    // (B, S, H)
  const Rounding<S> round_product = io.rounding("products");

  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t h = 0; h < heads; ++h) {
      const int64_t head = t * heads + h;
      Sum<S> products;
      for (int64_t d = 0; d < dim; ++d) products.add(round_product(grad[head * dim + d] * output[head * dim + d]));
      delta[head] = products.value();
    }
}

}  // namespace assay::reference

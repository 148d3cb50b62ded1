// gemm in plain loops: one inner product per element of C, with the bias and what C held as two more terms of its sum.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void gemm(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("M"), cols = io.dim("N"), depth = io.dim("K");
  const bool a_by_k = io.text("layout") == "tn", b_by_k = io.text("layout") != "nt";
  const bool biased = io.text("bias") == "1", accumulates = io.text("accumulate") == "1";
  const auto& a = io.in("a");        // (M, K), or (K, M) where a_by_k
  const auto& b = io.in("b");        // (N, K), or (K, N) where b_by_k
  const auto& bias = io.in("bias");  // (N), or nothing
  auto& c = io.out("c");             // (M, N)
  const auto before = c;             // of a sample of the rows, rows() below leaves nothing else in it

  for (const int64_t m : io.rows(rows, 2.0 * static_cast<double>(rows) * static_cast<double>(cols * depth)))
    for (int64_t n = 0; n < cols; ++n) {
      Sum<S> total;
      if (accumulates) total.add(before(m, n));
      if (biased) total.add(bias[n]);
      for (int64_t k = 0; k < depth; ++k) total.add_product(a_by_k ? a(k, m) : a(m, k), b_by_k ? b(k, n) : b(n, k));
      c(m, n) = total.value();
    }
}

}  // namespace assay::reference

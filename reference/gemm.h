// gemm in plain loops: one inner product per element of C, with the bias and what C held as two more terms of its sum.
//
// alpha and beta are the f32 numbers nearest to their decimal text, because that is what a kernel is handed. With an
// alpha the product is a sum of its own, which it multiplies.
#pragma once

#include <algorithm>
#include <array>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void gemm(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("M"), cols = io.dim("N"), depth = io.dim("K");
  const bool a_by_k = io.text("layout") == "tn", b_by_k = io.text("layout") != "nt";
  const bool biased = io.text("bias") == "1", accumulates = io.text("accumulate") == "1";
  const auto number = [&](const char* name) { return static_cast<double>(static_cast<float>(io.real(name))); };
  const S alpha = S(number("alpha")), beta = S(number("beta"));
  const bool scaled = plain(alpha) != 1;
  const auto& a = io.in("a");        // (M, K), or (K, M) where a_by_k
  const auto& b = io.in("b");        // (N, K), or (K, N) where b_by_k
  const auto& bias = io.in("bias");  // (N), or nothing
  auto& c = io.out("c");             // (M, N)
  const auto before = c;             // of a sample of the rows, rows() below leaves nothing else in it

  const double flops = 2.0 * static_cast<double>(rows) * static_cast<double>(cols * depth);
  const std::vector<int64_t> judged = io.rows(rows, flops);
  // A few columns at a time, of which a row of B by k holds neighbours.
  constexpr int64_t kColumns = 16;
  on_all_cores<S>((cols + kColumns - 1) / kColumns, flops, [&](int64_t group) {
    const int64_t first = group * kColumns, end = std::min(cols, first + kColumns);
    for (const int64_t m : judged) {
      std::array<Sum<S>, kColumns> totals;
      const auto total = [&](int64_t n) -> Sum<S>& { return totals[static_cast<size_t>(n - first)]; };
      for (int64_t n = first; n < end; ++n) {
        if (accumulates && !scaled) total(n).add(plain(beta) == 1 ? before(m, n) : beta * before(m, n));
        if (biased && !scaled) total(n).add(bias[n]);
      }
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t n = first; n < end; ++n)
          total(n).add_product(a_by_k ? a(k, m) : a(m, k), b_by_k ? b(k, n) : b(n, k));
      for (int64_t n = first; n < end; ++n) {
        c(m, n) = total(n).value();
        if (scaled) c(m, n) *= alpha;
        if (scaled && accumulates) c(m, n) += beta * before(m, n);
        if (scaled && biased) c(m, n) += bias[n];
      }
    }
  });
}

}  // namespace assay::reference

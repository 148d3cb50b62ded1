// top_k_mask in plain loops: every row in its order, and minus infinity (or what the kernel declares as its mask) from
// the k-th place on.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/op/reference.h"

namespace assay::reference {

// NaN before every number, then larger numbers before smaller ones; +0 and -0 are equal.
inline bool comes_before(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  return a > b;
}

template <class S>
void top_k_mask(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), vocab = io.dim("V"), k = io.dim("k");
  auto& logits = io.out("logits");  // (rows, V)

  std::vector<int64_t> order(static_cast<size_t>(vocab));
  for (int64_t r = 0; r < rows; ++r) {
    std::iota(order.begin(), order.end(), r * vocab);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return comes_before(plain(logits[a]), plain(logits[b])); });
    for (int64_t place = k; place < vocab; ++place) logits[order[static_cast<size_t>(place)]] = S(Tracked::mask_value);
  }
}

}  // namespace assay::reference

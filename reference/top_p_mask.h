// top_p_mask in plain loops: every row in its order, kept while what comes before sums to less than p.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void top_p_mask(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), vocab = io.dim("V");
  const double p = static_cast<float>(io.real("p"));
  auto& probs = io.out("probs");  // (rows, V)
  if (p >= 1) return;

  std::vector<int64_t> order(static_cast<size_t>(vocab));
  for (int64_t r = 0; r < rows; ++r) {
    std::iota(order.begin(), order.end(), r * vocab);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return plain(probs[a]) > plain(probs[b]); });
    Sum<S> before;
    for (size_t place = 0; place < order.size(); ++place) {
      const int64_t token = order[place];
      const S probability = probs[token];
      watch_tracked(Watched::share_of_limit, S(plain(before.value()) / p));
      const bool kept = place == 0 || plain(before.value()) < p;
      if (!kept) probs[token] = S(0);
      if (place > 0 && before.undecided(p)) probs.either(token, kept ? S(0) : probability);
      before.add(probability);
    }
  }
}

}  // namespace assay::reference

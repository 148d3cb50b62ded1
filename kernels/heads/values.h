// The data of attention over heads with padding: scores with which f32 exponentials have a meaning.
#pragma once

#include <cmath>

#include "kernels/data/exponents.h"
#include "kernels/data/tensors.h"
#include "kernels/heads/problem.h"

namespace assay::ops::heads {

// No element is larger than this over the root of D.
inline constexpr double kLargest = 12;

inline void make_values(const Case& c, Rng& rng, Tensor& tensor) {
  apply_fill(data::not_exponents(c), rng, kLargest / std::sqrt(static_cast<double>(head_dim(c))), tensor);
}

inline void make_partner(const Case& c, Rng& rng, Tensor& tensor) { make_values(data::not_subnormal(c), rng, tensor); }

// Scores may differ by some units only: where one key takes it all, the others could hold anything, and a weight that
// f32 has as 0 makes NaN of an infinite value. So queries are scaled down by a power of two.
inline void make_queries(const Case& c, Rng& rng, Tensor& q) {
  constexpr double kSpread = 2;  // of the scores, in standard deviations
  if (data::asks_for_exponents(c)) return data::make_exponent_queries(c, rng, c.dim("ad"), head_dim(c), q);
  make_values(c, rng, q);
  double squares = 0, finite = 0;
  for (int64_t i = 0; i < q.count(); ++i) {
    if (!std::isfinite(q.at(i))) continue;
    squares += q.at(i) * q.at(i);
    ++finite;
  }
  const double spread = squares / finite;  // of keys like the queries, over sqrt(D)
  if (!(spread > kSpread)) return;
  const double factor = std::exp2(std::floor(std::log2(kSpread / spread)));
  for (int64_t i = 0; i < q.count(); ++i)
    if (std::isfinite(q.at(i))) q.set(i, q.at(i) * factor);
}

// Each head has `slots` of them; scores are divided by the root of the head's length.
inline void make_keys(const Case& c, Rng& rng, int64_t slots, Tensor& k) {
  if (!data::asks_for_exponents(c)) return make_partner(c, rng, k);
  const double scale = 1 / std::sqrt(static_cast<double>(head_dim(c)));
  data::make_exponent_keys(c, rng, {slots, 1, c.dim("ad"), head_dim(c)}, scale, k);
}

}  // namespace assay::ops::heads

// Honest f32 sums, in the orders in which kernels add; for tests of the budgets of sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/rng.h"

namespace assay {

using Terms = std::vector<float>;

struct SumOrder {
  std::string name;
  std::function<float(const Terms&, Rng&)> sum;
};

namespace sums {

inline float serial(const Terms& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

inline Terms part(const Terms& terms, size_t begin, size_t count) {
  const auto at = [&](size_t i) { return terms.begin() + static_cast<int64_t>(std::min(i, terms.size())); };
  return {at(begin), at(begin + count)};
}

// Neighbours first.
inline float pairwise(Terms terms) {
  for (size_t n = terms.size(); n > 1; n = (n + 1) / 2) {
    for (size_t i = 0; i < n / 2; ++i) terms[i] = terms[2 * i] + terms[2 * i + 1];
    if (n % 2) terms[n / 2] = terms[n - 1];
  }
  return terms.empty() ? 0 : terms[0];
}

// As the shuffles of a warp: the first half and the second.
inline float butterfly(Terms terms) {
  for (size_t n = terms.size(); n > 1; n = (n + 1) / 2)
    for (size_t i = 0; i < n / 2; ++i) terms[i] += terms[i + (n + 1) / 2];
  return terms.empty() ? 0 : terms[0];
}

// As so many threads: each every stride-th term, then a tree over the threads.
inline float strided(const Terms& terms, size_t stride) {
  Terms lanes(stride);
  for (size_t i = 0; i < terms.size(); ++i) lanes[i % stride] += terms[i];
  return butterfly(lanes);
}

inline Terms tile_sums(const Terms& terms, size_t tile, float (*inner)(const Terms&)) {
  Terms sums;
  for (size_t begin = 0; begin < terms.size(); begin += tile) sums.push_back(inner(part(terms, begin, tile)));
  return sums;
}

inline Terms shuffled(Terms terms, Rng& rng) {
  for (size_t i = terms.size(); i > 1; --i)
    std::swap(terms[i - 1], terms[static_cast<size_t>(rng.between(0, static_cast<int64_t>(i) - 1))]);
  return terms;
}

inline Terms rotated(Terms terms, Rng& rng) {
  if (terms.empty()) return terms;
  std::rotate(terms.begin(), terms.begin() + rng.between(0, std::ssize(terms) - 1), terms.end());
  return terms;
}

inline float tree(const Terms& terms) { return butterfly(terms); }

}  // namespace sums

// Not among them: orders that look at the terms, as sorting does. No kernel knows them before it adds.
inline std::vector<SumOrder> sum_orders() {
  std::vector<SumOrder> orders = {
      {"serial", [](const Terms& terms, Rng&) { return sums::serial(terms); }},
      {"reversed",
       [](const Terms& terms, Rng&) {
         return sums::serial({terms.rbegin(), terms.rend()});
       }},
      {"rotated", [](const Terms& terms, Rng& rng) { return sums::serial(sums::rotated(terms, rng)); }},
      {"pairwise", [](const Terms& terms, Rng&) { return sums::pairwise(terms); }},
      {"butterfly", [](const Terms& terms, Rng&) { return sums::butterfly(terms); }},
      {"atomics", [](const Terms& terms, Rng& rng) { return sums::serial(sums::shuffled(terms, rng)); }},
  };
  for (size_t stride = 2; stride <= 1024; stride *= 2)
    orders.push_back({"strided by " + std::to_string(stride),
                      [stride](const Terms& terms, Rng&) { return sums::strided(terms, stride); }});
  for (size_t tile = 4; tile <= 1024; tile *= 4) {
    orders.push_back({"tiles of " + std::to_string(tile), [tile](const Terms& terms, Rng&) {
                        return sums::serial(sums::tile_sums(terms, tile, sums::serial));
                      }});
    orders.push_back({"atomics of tiles of " + std::to_string(tile), [tile](const Terms& terms, Rng& rng) {
                        return sums::serial(sums::shuffled(sums::tile_sums(terms, tile, sums::tree), rng));
                      }});
  }
  return orders;
}

}  // namespace assay

// Honest sums in f32 and in formats of fewer bits, in the orders in which kernels add; for tests of the budgets of
// sums.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/base/rng.h"

namespace assay {

using Terms = std::vector<float>;

// One addition of a kernel that adds in f32, or in a format of fewer bits: f32 then has a sum of two terms with enough
// bits to round it twice. Numbers of any size, as f32 has them.
class Adder {
 public:
  Adder() = default;
  explicit Adder(int significant_bits) : split_(static_cast<float>((1 << (24 - significant_bits)) + 1)) {}
  float operator()(float a, float b) const {
    const float sum = a + b, scaled = sum * split_;
    return split_ == 0 ? sum : scaled - (scaled - sum);  // Dekker's split
  }

 private:
  float split_ = 0;
};

struct SumOrder {
  std::string name;
  std::function<float(const Terms&, Rng&)> sum;
};

namespace sums {

inline float serial(Adder add, const Terms& terms) {
  float sum = 0;
  for (const float term : terms) sum = add(sum, term);
  return sum;
}

inline Terms part(const Terms& terms, size_t begin, size_t count) {
  const auto at = [&](size_t i) { return terms.begin() + static_cast<int64_t>(std::min(i, terms.size())); };
  return {at(begin), at(begin + count)};
}

// Neighbours first.
inline float pairwise(Adder add, Terms terms) {
  for (size_t n = terms.size(); n > 1; n = (n + 1) / 2) {
    for (size_t i = 0; i < n / 2; ++i) terms[i] = add(terms[2 * i], terms[2 * i + 1]);
    if (n % 2) terms[n / 2] = terms[n - 1];
  }
  return terms.empty() ? 0 : terms[0];
}

// Adds as the shuffles of a warp do: the first half and the second.
inline float butterfly(Adder add, Terms terms) {
  for (size_t n = terms.size(); n > 1; n = (n + 1) / 2)
    for (size_t i = 0; i < n / 2; ++i) terms[i] = add(terms[i], terms[i + (n + 1) / 2]);
  return terms.empty() ? 0 : terms[0];
}

// Adds as so many threads do: each every stride-th term, then a tree over the threads.
inline float strided(Adder add, const Terms& terms, size_t stride) {
  Terms lanes(stride);
  for (size_t i = 0; i < terms.size(); ++i) lanes[i % stride] = add(lanes[i % stride], terms[i]);
  return butterfly(add, lanes);
}

inline Terms tile_sums(Adder add, const Terms& terms, size_t tile, float (*inner)(Adder, const Terms&)) {
  Terms sums;
  for (size_t begin = 0; begin < terms.size(); begin += tile) sums.push_back(inner(add, part(terms, begin, tile)));
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

inline float tree(Adder add, const Terms& terms) { return butterfly(add, terms); }

}  // namespace sums

// Orders that look at the terms, as sorting does, are not among them. No kernel knows them before it adds.
inline std::vector<SumOrder> sum_orders(Adder add = {}) {
  std::vector<SumOrder> orders = {
      {"serial", [add](const Terms& terms, Rng&) { return sums::serial(add, terms); }},
      {"reversed",
       [add](const Terms& terms, Rng&) {
         return sums::serial(add, {terms.rbegin(), terms.rend()});
       }},
      {"rotated", [add](const Terms& terms, Rng& rng) { return sums::serial(add, sums::rotated(terms, rng)); }},
      {"pairwise", [add](const Terms& terms, Rng&) { return sums::pairwise(add, terms); }},
      {"butterfly", [add](const Terms& terms, Rng&) { return sums::butterfly(add, terms); }},
      {"atomics", [add](const Terms& terms, Rng& rng) { return sums::serial(add, sums::shuffled(terms, rng)); }},
  };
  for (size_t stride = 2; stride <= 1024; stride *= 2)
    orders.push_back({"strided by " + std::to_string(stride),
                      [add, stride](const Terms& terms, Rng&) { return sums::strided(add, terms, stride); }});
  for (size_t tile = 4; tile <= 1024; tile *= 4) {
    orders.push_back({"tiles of " + std::to_string(tile), [add, tile](const Terms& terms, Rng&) {
                        return sums::serial(add, sums::tile_sums(add, terms, tile, sums::serial));
                      }});
    orders.push_back({"atomics of tiles of " + std::to_string(tile), [add, tile](const Terms& terms, Rng& rng) {
                        return sums::serial(add, sums::shuffled(sums::tile_sums(add, terms, tile, sums::tree), rng));
                      }});
  }
  return orders;
}

}  // namespace assay

// Rows of activations as an op multiplies them: as they are, or packed to q8_k on the way.
//
// Rounding to codes is discontinuous. An error of 2e-7 changes 9 codes in a million, those whose quotient lies next to
// a threshold, but each by all of a quantum: a sum of 256 products moves by 6e-5 of its size rms, 300 times its cause.
// So an element with a budget that reaches a threshold gets one quantum of variance, weighted by the chance that it is
// crossed. This is never so little that the budget has no room for a whole quantum: a code changes by a quantum or not
// at all. An error that changes no code disappears.
//
// Elements of the same size change their codes together, since a kernel computes the same number for each of them. For
// 35 elements of value 1 behind a norm, all next to a threshold, the changes add up; with independent changes the
// budget was 0.9 of a right kernel's error.
//
// A quotient half-way between two codes is rounded by the kernel's rule, and so are all such quotients of a block.
// Among 57 elements of value 2 and -2 in a block of small integers whose largest is 4, a rule that treats negative
// numbers otherwise changes half of the codes. The reference rounds to even.
//
// A block's scale errs too, and all of the block in step: the sum of its products by as much as the scale.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/op/reference.h"
#include "reference/block_quantise.h"

namespace assay::reference {

// The variance of a code, in quanta, whose quotient is at `quotient` and errs with a deviation of `spread` quanta.
inline double flip_variance(int code, double quotient, double spread) {
  double variance = 0;
  int most = 0;  // quanta that the budget of the quotient reaches
  for (const int side : {-1, 1})
    for (int moved = 1; std::abs(code + side * moved) <= 127; ++moved) {
      const double distance = moved - 0.5 + side * (code - quotient);  // to the threshold between m - 1 and m quanta
      if (!(distance <= kBudgetFactor * spread)) break;
      variance += (2 * moved - 1) * std::erfc(distance / (spread * std::sqrt(2.0))) / 2;  // 1 + 3 + … (2m - 1) = m²
      most = std::max(most, moved);
    }
  return std::max(variance, most * most / (kBudgetFactor * kBudgetFactor));
}

// The surplus of an element half-way between two codes under the other rules that kernels round by.
struct HalfWay {
  size_t at = 0;
  std::array<double, 3> more = {};  // away from zero, up, down
};

// An element whose budget reaches a threshold between codes: what it strays by, with its sign.
struct Flip {
  size_t at = 0;
  double size = 0;  // |element|; those of the same size change together
  double deviation = 0;
};

template <class S>
struct ActivationRow {
  std::vector<S> x;                    // their errors leave out those of the blocks' scales
  std::vector<double> scale_variance;  // relative, of each block of 256; none where nothing is quantised
  std::vector<HalfWay> half_way = {};
  std::vector<std::vector<Flip>> together = {};  // of one block and one size
};

// The deviation of a block's scale: of its largest element, or of any that may be that one, and the kernel's own.
inline double spread_of_scale(std::span<const Tracked> x, double size) {
  double largest = 0;
  for (const Tracked& each : x)
    if (std::fabs(each.v) + kBudgetFactor * each.spread() >= size) largest = std::fmax(largest, each.spread());
  const double own = 2 * kScaleUlps / kBudgetFactor * Tracked::unit * size;
  return std::sqrt(largest * largest + own * own) / 127;
}

// The element that x becomes in a block with scale d: its code, computed exactly from the values, times d.
template <class S>
S coded(S x, S d, double quotient, [[maybe_unused]] double spread_of_d) {
  const int code = static_cast<int>(std::nearbyint(quotient));
  const S value = d * S(static_cast<double>(code));
  if constexpr (std::is_same_v<S, Tracked>) {
    if (d.v == 0) return {0, x.e, x.c};  // a kernel's rounding may leave a small number instead of 0
    const double own = 2 * kQuotientUlps / kBudgetFactor * Tracked::unit * std::fabs(quotient);
    const double spread = std::hypot(x.spread() / d.v, quotient * spread_of_d / d.v, own);
    return {value.v, Tracked::rounding(value.v) + d.v * d.v * flip_variance(code, quotient, spread), 0};
  }
  return value;
}

inline bool is_smaller(double a, double b) { return std::fabs(a) < std::fabs(b); }

// The values of a quotient half-way between two codes by the other rules, less its value to even.
inline std::array<double, 3> by_other_rules(double quotient, double d) {
  const double even = std::nearbyint(quotient);
  return {d * (std::round(quotient) - even), d * (std::ceil(quotient) - even), d * (std::floor(quotient) - even)};
}

// Those of `flips` that are not the only one of their size, each size by itself.
inline void keep_those_together(std::vector<Flip> flips, std::vector<std::vector<Flip>>& together) {
  std::stable_sort(flips.begin(), flips.end(), [](const Flip& a, const Flip& b) { return a.size < b.size; });
  for (size_t first = 0, end = 0; first < flips.size(); first = end) {
    while (end < flips.size() && flips[end].size == flips[first].size) ++end;
    if (end - first > 1) together.emplace_back(flips.begin() + first, flips.begin() + end);
  }
}

template <class S>
void pack_block(std::span<const S> from, ActivationRow<S>& row) {
  std::vector<double> x;
  for (const S& each : from) x.push_back(plain(each));
  if (!all_finite(x)) {
    row.x.insert(row.x.end(), from.size(), S(std::numeric_limits<double>::quiet_NaN()));
    row.scale_variance.push_back(0);
    return;
  }
  const double d = scale_of(kQ8_K, x, deciding_sign(x)).d, largest = *std::max_element(x.begin(), x.end(), is_smaller);
  double spread_of_d = 0;
  if constexpr (std::is_same_v<S, Tracked>) spread_of_d = spread_of_scale(from, std::fabs(largest));
  std::vector<Flip> flips;
  for (size_t i = 0; i < from.size(); ++i) {
    const double quotient = d == 0 ? 0 : std::copysign(127 * x[i] / largest, x[i] / d);  // one rounding: exact half-way
    if (std::fabs(quotient - std::trunc(quotient)) == 0.5)
      row.half_way.push_back({row.x.size(), by_other_rules(quotient, d)});
    row.x.push_back(coded(from[i], S(d), quotient, spread_of_d));
    if constexpr (std::is_same_v<S, Tracked>) {
      const double variance = row.x.back().e - Tracked::rounding(row.x.back().v);
      if (d != 0 && variance > 0)
        flips.push_back({row.x.size() - 1, std::fabs(x[i]), std::copysign(std::sqrt(variance), x[i])});
    }
  }
  keep_those_together(std::move(flips), row.together);
  const double relative = d == 0 ? 0 : spread_of_d / d;
  row.scale_variance.push_back(relative * relative);
}

// `activations` as the contracts name them: none, or q8_k, which takes whole blocks.
template <class S>
ActivationRow<S> activation_row(std::string_view activations, std::vector<S> x) {
  if (activations == "none") return {std::move(x), {}};
  ActivationRow<S> row;
  const auto block = static_cast<size_t>(kQ8_K.elements);
  for (size_t first = 0; first < x.size(); first += block) pack_block(std::span<const S>(x).subspan(first, block), row);
  return row;
}

// The variance that flips of one size add to a sum beside what each has alone: they go by their size, or by their sign
// as well.
template <class W>
double variance_together(const std::vector<Flip>& flips, W w) {
  double positive = 0, negative = 0, alone = 0;
  for (const Flip& each : flips) {
    const double moved = each.deviation * plain(w(static_cast<int64_t>(each.at)));
    (each.deviation > 0 ? positive : negative) += moved;
    alone += moved * moved;
  }
  const double most = std::max({std::fabs(positive + negative), std::fabs(positive), std::fabs(negative)});
  return std::max(most * most - alone, 0.0);
}

// `total` and the sum of x_k w(k), with the errors of the scales.
template <class S, class W>
S sum_of_products(Sum<S> total, const ActivationRow<S>& row, W w) {
  double of_scales = 0, block = 0;
  for (size_t k = 0; k < row.x.size(); ++k) {
    const S weight = w(static_cast<int64_t>(k));
    total.add_product(row.x[k], weight);
    if (row.scale_variance.empty()) continue;
    block += plain(row.x[k]) * plain(weight);
    if ((k + 1) % static_cast<size_t>(kQ8_K.elements) != 0) continue;
    of_scales += block * block * row.scale_variance[k / static_cast<size_t>(kQ8_K.elements)];
    block = 0;
  }
  if constexpr (std::is_same_v<S, Tracked>) {
    const Tracked sum = total.value();
    std::array<double, 3> by_rules = {};
    for (const HalfWay& each : row.half_way)
      for (size_t rule = 0; rule < 3; ++rule)
        by_rules[rule] += each.more[rule] * plain(w(static_cast<int64_t>(each.at)));
    double of_flips = 0;
    for (const std::vector<Flip>& flips : row.together) of_flips += variance_together(flips, w);
    const double by_rule = std::fabs(*std::max_element(by_rules.begin(), by_rules.end(), is_smaller));
    return {sum.v, sum.e + of_scales + of_flips, sum.c + by_rule / kBudgetFactor};
  }
  return total.value();
}

}  // namespace assay::reference

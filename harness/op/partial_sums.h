// The size of the partial sums of many terms: the largest ΣP_k² over the orders in which kernels add.
//
// P_2 … P_n are the sums that are rounded when n terms with the sum S and the sum of squares Q are added one by one:
//
//   serial       the prefixes, in the order of the index.
//   reversed     S - prefix: Σ(S - P_k)² = nS² - 2S ΣP_k + ΣP_k².
//   random       as atomics make it: E[P_k²] = S² (k/n)² + (Q - S²/n) (k/n)(1 - k/n) n/(n-1). The second part is a
//   random
//                bridge, and one order's bridge is not the mean one: kBridge times the mean is what one in a thousand
//                orders exceeds. Atomics of tiles' sums come to no more: n/T of them, with at most TQ as their squares.
//   balanced     trees, pairwise or of shuffles: by Cauchy and Schwarz a sum of 2^l terms has at most 2^l times their
//                squares, a level 2^l Q, all levels 2nQ. Equality takes equal terms, whose S²n/3 is far more; the
//                bridge's part is 7nQ/6.
//   tiles of T   likewise at most TQ/2 inside of them, which the bridge covers up to T = √(7n/3), and around them a
//   part
//                of the serial order. Longer tiles are differences of prefixes.
//   strided by k strands of n/k terms, at most (n/k)²Q/2, which the bridge covers up to n = 7k²/3: 2400 terms for a
//                warp, 150,000 for a block of 256. Longer strands may be of one sign each, where terms have a period.
//                So those of 2, 4 and 8 are followed, and of 16, 32, 64 and 128 the first, which is taken for all.
//
// Up to kFew terms it is the worst permutation: a few roundings are no average, and may all be as large as they can.
//
// One pass, of constant memory. Not covered: orders that look at the terms (sorted ones), and many terms whose period
// is a multiple of 128, or divides a stride and spares its first strand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace assay {

// ΣP² of strided sums.
class StrandSquares {
 public:
  void add(int64_t index, double term) {
    const auto strand = static_cast<size_t>(index % kStrands);
    const double two = twos_[strand % 2] += term;
    const double eight = eights_[strand] += term, four = eight + eights_[(strand + 4) % kStrands];
    if (index >= kStrands) {  // so few terms are the bridge's, and the first of a strand is not rounded
      squares_[0] += two * two;
      squares_[1] += four * four;
      squares_[2] += eight * eight;
    }
    for (int s = 0; s < kFirst && index % stride(s) == 0; ++s) {
      first_sums_[s] += term;
      if (index > 0) first_squares_[s] += first_sums_[s] * first_sums_[s];
    }
  }

  double largest() const {
    double largest = std::max({squares_[0], squares_[1], squares_[2]});
    for (int s = 0; s < kFirst; ++s) largest = std::max(largest, static_cast<double>(stride(s)) * first_squares_[s]);
    return largest;
  }

 private:
  static constexpr int kStrands = 8, kFirst = 4;
  static constexpr int64_t stride(int s) { return int64_t{16} << s; }

  double twos_[2] = {}, eights_[kStrands] = {}, squares_[3] = {};
  double first_sums_[kFirst] = {}, first_squares_[kFirst] = {};
};

class PartialSums {
 public:
  void add(double term) {
    if (terms_ == 0) first_ = term;
    last_ = term;
    sum_ += term;
    magnitude_ += std::fabs(term);
    squares_ += term * term;
    prefixes_ += sum_;
    prefix_squares_ += sum_ * sum_;
    strands_.add(terms_, term);
    ++terms_;
  }

  int64_t terms() const { return terms_; }
  double sum() const { return sum_; }
  double magnitude() const { return magnitude_; }  // Σ|t|, which no partial sum of any order exceeds

  double squares() const { return squares_; }  // Σt²

  // The largest ΣP_k² for k = 2 … n. There must be a term.
  double largest_squares() const {
    const auto n = static_cast<double>(terms_);
    const double most = (n - 1) * magnitude_ * magnitude_;
    if (terms_ <= kFew) return most;
    const double serial = prefix_squares_ - first_ * first_;
    const double reversed = (n + 1) * sum_ * sum_ - 2 * sum_ * prefixes_ + prefix_squares_ - last_ * last_;
    const double trend = sum_ * sum_ * ((n + 1) * (2 * n + 1) / (6 * n) - 1 / (n * n));
    const double bridge = std::max(0.0, squares_ - sum_ * sum_ / n) * ((n + 1) / 6 - 1 / n);
    const double largest = std::max({serial, reversed, trend + kBridge * bridge, strands_.largest()});
    return std::min(largest, most);
  }

 private:
  static constexpr int64_t kFew = 6;
  static constexpr double kBridge = 7;  // ∫B² of a Brownian bridge: 1.167 at 0.999 (Cramér and von Mises), mean 1/6

  int64_t terms_ = 0;
  double first_ = 0, last_ = 0, sum_ = 0, magnitude_ = 0, squares_ = 0, prefixes_ = 0, prefix_squares_ = 0;
  StrandSquares strands_;
};

}  // namespace assay

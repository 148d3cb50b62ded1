// The sum of a reference: what adds up many terms, with a budget that is good for every order of addition.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "harness/op/tracked.h"

namespace assay {

// A sum of many terms whose budget is good for every order of addition: (n-1)(unit·Σ|t|)²/3 instead of the roundings of
// one particular order.
//
// That takes roundings to be independent, which they are not when the same term comes again and again: while a running
// sum stays between two powers of two, adding one value always rounds the same way, and n equal terms added one after
// another to a sum that is large from the start come out wrong by up to n·unit·Σ|t|, four deviations (measured: 5 times
// the budget above at n = 8192). So terms that were seen before, as far as a short memory knows, err in step with their
// likes, in what they came with and in how they are rounded; terms of different values do not. The same holds in part
// for terms with few significant bits, such as products of two bf16 numbers (16 bits): what is cut off when they join a
// large sum takes few values, which do not average to nothing (measured: a chain of 4096 squares of bf16 numbers
// reaches the independent budget in the median, 65536 of them 1.5 times it).
template <class S>
class Sum {
 public:
  void add(S term) { value_ += term; }
  S value() const { return value_; }
  bool undecided(double) const { return false; }

 private:
  S value_ = S(0);
};

template <>
class Sum<Tracked> {
 public:
  void add(Tracked term) {
    const auto repeats = static_cast<double>(times_seen(term.v));
    v_ += term.v;
    e_ += (2 * repeats + 1) * term.e;  // n equal errors have a variance of n² times one's
    c_ += term.c;
    magnitude_ += std::fabs(term.v);
    if (repeats > 0) in_step_ += 2 * repeats - 1;                // likewise
    coarse_ += repeats == 0 && terms_ > 0 && is_coarse(term.v);  // the first term is not rounded
    ++terms_;
    exact_terms_ &= term.e == 0 && term.c == 0;
    if (term.v != 0) lowest_bit_ = std::min(lowest_bit_, lowest_bit(term.v));
  }
  Tracked value() const {
    const double roundings = static_cast<double>(std::max<int64_t>(terms_ - 1, 0));
    const double alike = std::sqrt(in_step_) / 4 + static_cast<double>(coarse_) / 48;
    return {v_, e_ + roundings * Tracked::rounding(magnitude_), c_ + alike * Tracked::unit * magnitude_};
  }

  // Whether a right kernel's sum may lie on the other side of `threshold`: its distance is within the budget, and some
  // order of addition rounds. None does where all terms are multiples of one power of two and come to at most 1/unit
  // of it.
  bool undecided(double threshold) const {
    const bool exact = exact_terms_ && magnitude_ * Tracked::unit <= std::ldexp(1.0, lowest_bit_);
    return !exact && std::fabs(v_ - threshold) <= kBudgetFactor * value().spread();
  }

 private:
  static constexpr int kRecent = 4;
  static constexpr double kAlike = 0x1p-10;  // relative; sums of thousands of terms do not see smaller differences

  static bool is_coarse(double value) {
    return value != 0 && (std::bit_cast<uint32_t>(static_cast<float>(value)) & 0xFF) == 0;
  }

  // The exponent of the last bit that is set in a normal number.
  static int lowest_bit(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    return static_cast<int>(bits >> 52 & 0x7FF) - 1075 + std::countr_zero(bits | uint64_t{1} << 52);
  }

  // How many terms like this one came before it.
  int64_t times_seen(double value) {
    if (value == 0) return 0;  // adds no rounding
    for (int n = 0; n < kRecent; ++n)
      if (std::fabs(value - recent_[n]) <= kAlike * std::fabs(value)) return ++repeats_[n];
    int64_t forgotten = terms_ % kRecent;  // a value that came again and again is kept among many that do not
    for (int64_t n = 0; n < kRecent; ++n)
      if (repeats_[n] < repeats_[forgotten]) forgotten = n;
    recent_[forgotten] = value;
    repeats_[forgotten] = 0;
    return 0;
  }

  double v_ = 0, e_ = 0, c_ = 0, magnitude_ = 0, in_step_ = 0;
  int64_t terms_ = 0, coarse_ = 0;
  bool exact_terms_ = true;
  int lowest_bit_ = 1023;
  double recent_[kRecent] = {};
  int64_t repeats_[kRecent] = {};
};

}  // namespace assay

// The sum of a reference: what adds up many terms, with a budget that is good for every order in which kernels add.
//
// Adding n terms rounds n - 1 partial sums P_k. Independent roundings have a variance of (unit²/3) ΣP_k², and W, the
// largest ΣP_k² over the orders that kernels use, is in partial_sums.h. The worst permutation, (n-1) (Σ|t|)², is no
// kernel's: on zero-mean terms it is √n times as far from an honest error.
//
// Roundings are not always independent (in_step.h). Four things answer that:
//   - The serial sum is carried out in the kernel's precision. How far it strays from the exact one tells what terms
//     lose in step at the exponents that every order of them passes through: 65536 squares of bf16 numbers stray 1.5
//     times as far as (n-1) (unit·Σ|t|)²/3 allows. kStray of it is a deviation.
//   - Terms of which each value comes r times err in step with their likes, also where an order has larger partial sums
//     than the serial one: Σr²/n times the variance.
//   - Terms that vanish beside the largest are lost where that one comes first.
//   - Beside a partial sum with a last place of U, a rounding is a sawtooth of the term, with teeth U wide. Terms that
//     change slowly from one to the next, as sorted ones do, end somewhere in a tooth, and all in it that err to one
//     side are U/t of the terms: that part of all that can be lost, kTooth times for a deviation, and all of it where
//     terms are no longer than U. Sums of f16 and bf16 are such from some hundred terms on; f32 hardly ever.
// All of it is never more than unit·Σ|P_k|, which is at most unit·√((n-1)W).
//
// A term's own errors add up as variances, and in step with those of terms that were seen before, as far as a short
// memory knows. For the operands of products that enter rounded, the rounding of each is known, and so is the sum of it
// all: one number in all products of a sum moves every one of them to the same side.
//
// sum_campaign_test.cpp holds this against real sums in all those orders.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "harness/op/in_step.h"
#include "harness/op/partial_sums.h"
#include "harness/op/rounding.h"
#include "harness/op/tracked.h"

namespace assay {

template <class S>
class Sum {
 public:
  void add(S term) { value_ += term; }
  void add_product(S a, S b) { add(operand(a) * operand(b)); }  // a term of a matrix product
  S value() const { return value_; }
  bool undecided(double) const { return false; }

 private:
  S value_ = S(0);
};

template <>
class Sum<Tracked> {
 public:
  void add(Tracked term) {
    const int64_t index = sums_.terms();
    if (term.e > 0) e_ += (2 * times_seen(index, term.v) + 1) * term.e;  // n equal errors: n² times one's variance
    c_ += term.c;
    chain_.add(term.v);
    recurrence_.add(term.v);
    absorbed_.add(term.v, sums_.sum());
    if (is_grid_) keep_grid(term);
    sums_.add(term.v);
  }
  void add_product(Tracked a, Tracked b) {
    add(operand(a) * operand(b));
    if (Tracked::operands.unit == 0) return;
    rounded_left_ += lost_by_operand(a.v) * b.v;
    rounded_right_ += a.v * lost_by_operand(b.v);
  }
  Tracked value() const {
    watch(Watched::sum_terms, static_cast<double>(sums_.terms()));
    watch(Watched::sum_size, sums_.magnitude());
    watch(Watched::sum_left, std::fabs(sums_.sum()) / sums_.magnitude());
    if (std::isinf(e_)) return Tracked::unknown();
    if (sums_.terms() < 2) return {sums_.sum(), e_, c_};
    if (sums_.magnitude() > Tracked::largest) return {sums_.sum(), Tracked::unknown().e, 0};  // in some order
    const auto n = static_cast<double>(sums_.terms());
    const double squares = Tracked::unit * Tracked::unit * sums_.largest_squares();
    const double most = std::sqrt(squares * (n - 1)) / kBudgetFactor;  // the budget is all of unit·Σ|P_k| then
    const double independent = std::min(std::sqrt(squares / 3), most);
    const double alike = independent * (std::sqrt(recurrence_.second_moment(n) / n) - 1);
    const double tooth = sums_.squares() > 0 ? std::min(1.0, std::sqrt(squares / sums_.squares())) : 0;  // U/2t
    const double in_step =
        std::min(alike + kStray * chain_.strayed() + absorbed_.size() / kBudgetFactor + kTooth * tooth * most,
                 most - independent);
    const double roundings = independent * independent;
    const double lost = (std::fabs(rounded_left_) + std::fabs(rounded_right_)) / kBudgetFactor;
    const double operands = lost + independent - std::sqrt(e_ + roundings);  // all of it, and the sum's own beside it
    return {sums_.sum(), e_ + roundings + (n - 1) * Tracked::rounding(0), c_ + in_step + std::max(operands, 0.0)};
  }

  // Whether a right kernel's sum may lie on the other side of `threshold`: its distance is within the budget, and some
  // order of addition rounds. None does where all terms are multiples of one power of two and come to at most 1/unit
  // of it.
  bool undecided(double threshold) const {
    const bool exact = is_grid_ && sums_.magnitude() * Tracked::unit <= std::ldexp(1.0, lowest_bit_);
    return !exact && std::fabs(sums_.sum() - threshold) <= kBudgetFactor * value().spread();
  }

 private:
  static constexpr double kStray = 0.5, kTooth = 0.25;  // the campaign's worst is 0.76 then, 1.9 without teeth
  static constexpr int kRecent = 4;
  static constexpr double kAlike = 0x1p-10;  // relative; sums of thousands of terms do not see smaller differences

  // Terms without errors are multiples of 2^lowest_bit_.
  void keep_grid(Tracked term) {
    is_grid_ = term.e == 0 && term.c == 0;
    if (term.v != 0) lowest_bit_ = std::min(lowest_bit_, lowest_bit(term.v));
  }

  // The exponent of the last bit that is set in a normal number.
  static int lowest_bit(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    return static_cast<int>(bits >> 52 & 0x7FF) - 1075 + std::countr_zero(bits | uint64_t{1} << 52);
  }

  // How many terms like this one came before it.
  double times_seen(int64_t index, double value) {
    const double alike = kAlike * std::fabs(value);
    for (int n = 0; n < kRecent; ++n)
      if (std::fabs(value - recent_[n]) <= alike) return ++repeats_[n];
    int64_t forgotten = index % kRecent;  // a value that came again and again is kept among many that do not
    if (repeats_[forgotten] > 0)
      for (int64_t n = 0; n < kRecent; ++n)
        if (repeats_[n] < repeats_[forgotten]) forgotten = n;
    recent_[forgotten] = value;
    repeats_[forgotten] = 0;
    return 0;
  }

  double e_ = 0, c_ = 0;
  double rounded_left_ = 0, rounded_right_ = 0;  // what rounding the left, the right operands adds to the sum
  PartialSums sums_;
  RoundedChain chain_;
  Recurrence recurrence_;
  Absorbed absorbed_;
  bool is_grid_ = true;
  int lowest_bit_ = 1023;
  double recent_[kRecent] = {NAN, NAN, NAN, NAN}, repeats_[kRecent] = {};
};

}  // namespace assay

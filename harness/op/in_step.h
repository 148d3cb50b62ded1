// The common part of a sum's roundings, which does not average out between them.
//
// A partial sum is a multiple of its own last place. So what is lost when a term joins it depends on the term and on
// the sum's exponent only, whatever the order: equal terms lose the same, and so do those with few significant bits,
// those within a last place of each other, and those too small to be seen.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/tracked.h"

namespace assay {

// The serial sum in the kernel's precision, and the farthest that it strayed from the exact one on its way.
class RoundedChain {
 public:
  void add(double term) {
    const double exact = sum_ + term;
    const double split = exact * split_;  // Dekker's: keeps the leading bits, 53 less those of split_
    sum_ = split - (split - exact);
    error_ += sum_ - exact;
    strayed_ = std::max(strayed_, std::fabs(error_));
  }
  double strayed() const { return strayed_; }

 private:
  double split_ = Tracked::unit * 0x1p53 + 1;
  double sum_ = 0, error_ = 0, strayed_ = 0;
};

// The second moment of how often each value comes, -x counted against x: Σr², n where all differ, n² where all are one.
// It is estimated by how often the first four came (Alon, Matias and Szegedy's estimate, from the start of the stream),
// or by the runs that equal terms come in, which those four may not be of. Zeros do not count: adding them rounds
// nothing.
class Recurrence {
 public:
  void add(double term) {
    run_ = term == last_ ? run_ + 1 : 1;
    if (term != 0) runs_squared_ += 2 * run_ - 1;  // r² - (r - 1)²
    last_ = term;
    if (samples_ < kSamples && term != 0) values_[samples_++] = term;
    for (int s = 0; s < kSamples; ++s) {
      counts_[s] += term == values_[s] ? 1.0 : 0.0;
      counts_[s] -= term == -values_[s] ? 1.0 : 0.0;
    }
  }
  double second_moment(double terms) const {
    double seen = 0;
    for (int s = 0; s < samples_; ++s) seen += std::max(1.0, std::fabs(counts_[s]));
    return samples_ == 0 ? terms : std::max(terms * seen / samples_, runs_squared_);
  }

 private:
  static constexpr int kSamples = 4;
  int samples_ = 0;
  double values_[kSamples] = {NAN, NAN, NAN, NAN}, counts_[kSamples] = {};
  double last_ = NAN, run_ = 0, runs_squared_ = 0;
};

// The sum of terms that are too small to be seen beside the largest: an order that begins with that one loses them.
class Absorbed {
 public:
  // `sum` is that of the terms before.
  void add(double term, double sum) {
    const double size = std::fabs(term);
    if (size > largest_) {
      if (largest_ <= small(size)) absorbed_ = sum;
      largest_ = size;
    } else if (size <= small(largest_)) {
      absorbed_ += term;
    }
  }
  double size() const { return std::fabs(absorbed_); }

 private:
  // Half a unit would do, if no terms of middling size came before the largest.
  static double small(double size) { return 32 * Tracked::unit * size; }

  double largest_ = 0, absorbed_ = 0;
};

}  // namespace assay

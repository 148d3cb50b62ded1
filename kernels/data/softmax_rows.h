// Rows of probabilities, for contracts whose inputs are what a softmax leaves.
#pragma once

#include <cmath>
#include <limits>

#include "harness/op/tracked.h"
#include "harness/tensor/tensor.h"

namespace assay::data {

// In place: elements first … end - 1 become their softmax, rounded to the dtype.
inline void softmax_row(Tensor& y, int64_t first, int64_t end) {
  double maximum = -std::numeric_limits<double>::infinity(), total = 0;
  for (int64_t i = first; i < end; ++i) maximum = larger(maximum, y.at(i));
  for (int64_t i = first; i < end; ++i) total += std::exp(y.at(i) - maximum);
  for (int64_t i = first; i < end; ++i) y.set(i, std::exp(y.at(i) - maximum) / total);
}

// Each row of `cols` elements.
inline void softmax_rows(Tensor& y, int64_t cols) {
  for (int64_t row = 0; row < y.count(); row += cols) softmax_row(y, row, row + cols);
}

}  // namespace assay::data

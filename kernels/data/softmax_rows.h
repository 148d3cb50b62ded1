// Rows of probabilities, for contracts whose inputs are what a softmax leaves.
#pragma once

#include <cmath>
#include <limits>

#include "harness/op/tracked.h"
#include "harness/tensor/tensor.h"

namespace assay::data {

// In place: each row of `cols` elements becomes its softmax, rounded to the dtype.
inline void softmax_rows(Tensor& y, int64_t cols) {
  for (int64_t row = 0; row < y.count(); row += cols) {
    double maximum = -std::numeric_limits<double>::infinity(), total = 0;
    for (int64_t i = row; i < row + cols; ++i) maximum = larger(maximum, y.at(i));
    for (int64_t i = row; i < row + cols; ++i) total += std::exp(y.at(i) - maximum);
    for (int64_t i = row; i < row + cols; ++i) y.set(i, std::exp(y.at(i) - maximum) / total);
  }
}

}  // namespace assay::data

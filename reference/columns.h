// Sums over the rows of a matrix, for many columns: a group of neighbours at a time, since a column's elements lie a
// row apart and each alone would miss the cache. Every sum has its terms in the order of the rows, as alone.
#pragma once

#include <algorithm>
#include <vector>

#include "harness/op/reference.h"

namespace assay::reference {

inline constexpr int64_t kColumnGroup = 64;

// start(sum, column) begins a sum, add(sum, row, column) adds a row's term, store(column, value) takes the result.
template <class S, class Start, class Add, class Store>
void sum_columns(int64_t rows, int64_t columns, Start start, Add add, Store store) {
  for (int64_t first = 0; first < columns; first += kColumnGroup) {
    std::vector<Sum<S>> sums(static_cast<size_t>(std::min(kColumnGroup, columns - first)));
    const auto count = static_cast<int64_t>(sums.size());
    for (int64_t i = 0; i < count; ++i) start(sums[static_cast<size_t>(i)], first + i);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < count; ++i) add(sums[static_cast<size_t>(i)], row, first + i);
    for (int64_t i = 0; i < count; ++i) store(first + i, sums[static_cast<size_t>(i)].value());
  }
}

}  // namespace assay::reference

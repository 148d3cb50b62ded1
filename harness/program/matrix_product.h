// Products of matrices that lie by columns, as CUDA's libraries have them: the sums, before anything is rounded to the
// type of the result.
//
// Every sum adds its terms by ascending index, each product rounded and then each sum, so that a result is the same on
// every processor and for every number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/program/number_types.h"

namespace assay::program {

// A matrix as one side of a product. Transposed: element (i, j) lies where (j, i) would.
struct Factor {
  const void* begin = nullptr;
  Number type = Number::f32;
  int64_t ld = 1;  // elements from one column to the next
  bool is_transposed = false;
};

// Element (i, j) of the m x n product is at i + j m. Sum: float, double, or uint32_t, which wraps as integers of 32
// bits do. Large products are computed on all cores where `threads` says so.
enum class Threads : uint8_t { one, all_cores };
template <class Sum>
std::vector<Sum> product_of(const Factor& a, const Factor& b, int64_t m, int64_t n, int64_t k, Threads threads);

extern template std::vector<float> product_of(const Factor&, const Factor&, int64_t, int64_t, int64_t, Threads);
extern template std::vector<double> product_of(const Factor&, const Factor&, int64_t, int64_t, int64_t, Threads);
extern template std::vector<uint32_t> product_of(const Factor&, const Factor&, int64_t, int64_t, int64_t, Threads);

}  // namespace assay::program

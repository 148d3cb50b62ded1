// Sums of products for matrices that a warp multiplies: D += A B, rows one behind the other.
#pragma once

#include <cstddef>

namespace assay::simt {

// (m, n) += (m, k) (k, n), where m is a multiple of 4 and n is 8, 16 or 32. In f32 every product is rounded and added
// by itself, in f64 by a fused multiply-add; both in ascending k. The bits are the same on every processor.
void add_products(float* d, const float* a, const float* b, size_t m, size_t n, size_t k);
void add_products(double* d, const double* a, const double* b, size_t m, size_t n, size_t k);

}  // namespace assay::simt

// Tiles of sums that stay in registers, of four rows and up to 16 columns, in the widest vectors that the processor
// has.
//
// Sums of one row would each wait for the one before; those of four rows are as many as the processor adds at a time.
#include "harness/simt/runtime/matrix_sums.h"

#include <cstring>

namespace assay::simt {
namespace {

constexpr size_t kRows = 4;

// One tile of 8 or 16 columns in matrices of n. GCC's vectors are twice or four times as wide as most registers, and go
// into as many of these as they need.
template <class T, size_t vectors, class MultiplyAdd>
inline __attribute__((always_inline)) void add_tile(T* d, const T* a, const T* b, size_t n, size_t k,
                                                    MultiplyAdd multiply_add) {
  typedef T Eight __attribute__((vector_size(8 * sizeof(T)), aligned(sizeof(T)), may_alias));
  Eight sums[kRows][vectors];
#pragma GCC unroll 8
  for (size_t row = 0; row < kRows; ++row)
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; ++v) std::memcpy(&sums[row][v], d + row * n + 8 * v, sizeof(Eight));
  for (size_t at = 0; at < k; ++at)
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; ++v) {
      const Eight& right = *reinterpret_cast<const Eight*>(b + at * n + 8 * v);
#pragma GCC unroll 8
      for (size_t row = 0; row < kRows; ++row) multiply_add(sums[row][v], a[row * k + at], right);
    }
#pragma GCC unroll 8
  for (size_t row = 0; row < kRows; ++row)
#pragma GCC unroll 8
    for (size_t v = 0; v < vectors; ++v) std::memcpy(d + row * n + 8 * v, &sums[row][v], sizeof(Eight));
}

template <class T, class MultiplyAdd>
inline __attribute__((always_inline)) void add_tiles(T* d, const T* a, const T* b, size_t m, size_t n, size_t k,
                                                     MultiplyAdd multiply_add) {
  for (size_t row = 0; row < m; row += kRows) {
    if (n == 8) add_tile<T, 1>(d + row * n, a + row * k, b, n, k, multiply_add);
    for (size_t col = 0; col + 16 <= n; col += 16)
      add_tile<T, 2>(d + row * n + col, a + row * k, b + col, n, k, multiply_add);
  }
}

struct InTwoSteps {
  template <class T, class Eight>
  __attribute__((always_inline)) void operator()(Eight& sum, T left, const Eight& right) const {
    sum += left * right;  // -ffp-contract=off: two roundings
  }
};
struct Fused {
  template <class T, class Eight>
  __attribute__((always_inline)) void operator()(Eight& sum, T left, const Eight& right) const {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) sum[i] = __builtin_fma(left, right[i], sum[i]);
  }
};

void floats_anywhere(float* d, const float* a, const float* b, size_t m, size_t n, size_t k) {
  add_tiles(d, a, b, m, n, k, InTwoSteps{});
}
void doubles_anywhere(double* d, const double* a, const double* b, size_t m, size_t n, size_t k) {
  add_tiles(d, a, b, m, n, k, Fused{});
}
#if defined(__x86_64__)
__attribute__((target("avx2"))) void floats_by_avx2(float* d, const float* a, const float* b, size_t m, size_t n,
                                                    size_t k) {
  add_tiles(d, a, b, m, n, k, InTwoSteps{});
}
__attribute__((target("avx2,fma"))) void doubles_by_avx2(double* d, const double* a, const double* b, size_t m,
                                                         size_t n, size_t k) {
  add_tiles(d, a, b, m, n, k, Fused{});
}
bool has_avx2() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; }
const auto kFloats = has_avx2() ? floats_by_avx2 : floats_anywhere;
const auto kDoubles = has_avx2() ? doubles_by_avx2 : doubles_anywhere;
#else
const auto kFloats = floats_anywhere;
const auto kDoubles = doubles_anywhere;
#endif

}  // namespace

void add_products(float* d, const float* a, const float* b, size_t m, size_t n, size_t k) { kFloats(d, a, b, m, n, k); }
void add_products(double* d, const double* a, const double* b, size_t m, size_t n, size_t k) {
  kDoubles(d, a, b, m, n, k);
}

}  // namespace assay::simt

// Panels of both matrices are packed, then tiles of the result are summed in registers.
#include "harness/program/matrix_product.h"

#include <algorithm>

#include "harness/base/parallel.h"

namespace assay::program {
namespace {

constexpr int64_t kRows = 16, kColumns = 4;  // of a tile
constexpr double kSumsOfOneCore = 1e6;       // below it threads cost more than they save

// Columns of op(A) in panels of `width` rows, or rows of op(B) in panels of `width` columns: for each index of the sum
// the elements of the panel one after another, zeros where the matrix ends. `along`: elements from one index of the sum
// to the next in memory; `across`: from one row of the panel to the next.
template <class Sum, class Each>
void pack(const typename Each::Stored* from, int64_t along, int64_t across, int64_t width, int64_t filled, int64_t k,
          Sum* to) {
  for (int64_t l = 0; l < k; ++l)
    for (int64_t i = 0; i < width; ++i)
      to[l * width + i] = i < filled ? Each::template load<Sum>(from[l * along + i * across]) : Sum();
}

template <class Sum>
void pack_panel(const Factor& factor, int64_t along, int64_t across, int64_t width, int64_t size, int64_t panel,
                int64_t k, Sum* to) {
  with_type(factor.type, [&](auto number) {
    using Each = decltype(number);
    const int64_t first = panel * width;
    pack<Sum, Each>(static_cast<const typename Each::Stored*>(factor.begin) + first * across, along, across, width,
                    std::min(width, size - first), k, to);
  });
}

// The tile's sums, by columns.
template <class Sum>
void sum_tile(const Sum* a, const Sum* b, int64_t k, Sum* out) {
  std::fill_n(out, kRows * kColumns, Sum());
  for (int64_t l = 0; l < k; ++l)
    for (int64_t j = 0; j < kColumns; ++j)
      for (int64_t i = 0; i < kRows; ++i) out[j * kRows + i] += a[l * kRows + i] * b[l * kColumns + j];
}

// Does that in registers, six times as fast, because compilers do not keep sums there by themselves. Without FMA,
// which would round once where other processors round twice.
#if defined(__x86_64__)
template <class Sum>
__attribute__((target("avx2"))) void sum_tile_by_avx2(const Sum* a, const Sum* b, int64_t k, Sum* out) {
  typedef Sum Vector __attribute__((vector_size(32), aligned(sizeof(Sum)), may_alias));
  constexpr int64_t kLanes = 32 / sizeof(Sum), kVectors = kRows / kLanes;
  static_assert(kVectors % 2 == 0 && kColumns == 4);
  for (int64_t first = 0; first < kVectors; first += 2) {
    Vector s00{}, s01{}, s10{}, s11{}, s20{}, s21{}, s30{}, s31{};
    for (int64_t l = 0; l < k; ++l) {
      const auto* const left = reinterpret_cast<const Vector*>(a + l * kRows + first * kLanes);
      const Sum* const right = b + l * kColumns;
      s00 += left[0] * right[0], s01 += left[1] * right[0];
      s10 += left[0] * right[1], s11 += left[1] * right[1];
      s20 += left[0] * right[2], s21 += left[1] * right[2];
      s30 += left[0] * right[3], s31 += left[1] * right[3];
    }
    const auto keep = [&](int64_t column, const Vector& upper, const Vector& lower) {
      auto* const to = reinterpret_cast<Vector*>(out + column * kRows + first * kLanes);
      to[0] = upper, to[1] = lower;
    };
    keep(0, s00, s01), keep(1, s10, s11), keep(2, s20, s21), keep(3, s30, s31);
  }
}
#endif

template <class Sum>
auto* tile_sum() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return &sum_tile_by_avx2<Sum>;
#endif
  return &sum_tile<Sum>;
}

}  // namespace

template <class Sum>
std::vector<Sum> product_of(const Factor& a, const Factor& b, int64_t m, int64_t n, int64_t k, Threads threads) {
  std::vector<Sum> result(static_cast<size_t>(m * n));
  if (m == 0 || n == 0 || k == 0) return result;
  const int64_t row_panels = (m + kRows - 1) / kRows, column_panels = (n + kColumns - 1) / kColumns;
  const bool is_large = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) > kSumsOfOneCore;
  const auto for_each_panel = [&](int64_t count, const auto& body) {
    if (threads == Threads::all_cores && is_large) return each_in_parallel(count, body);
    for (int64_t i = 0; i < count; ++i) body(i);
  };
  std::vector<Sum> rights(static_cast<size_t>(column_panels * kColumns * k));
  for_each_panel(column_panels, [&](int64_t panel) {
    pack_panel(b, b.is_transposed ? b.ld : 1, b.is_transposed ? 1 : b.ld, kColumns, n, panel, k,
               rights.data() + panel * kColumns * k);
  });
  const auto sum = tile_sum<Sum>();
  for_each_panel(row_panels, [&](int64_t panel) {
    std::vector<Sum> left(static_cast<size_t>(kRows * k));
    pack_panel(a, a.is_transposed ? 1 : a.ld, a.is_transposed ? a.ld : 1, kRows, m, panel, k, left.data());
    const int64_t first = panel * kRows, rows = std::min(kRows, m - first);
    for (int64_t j = 0; j < column_panels; ++j) {
      Sum tile[kRows * kColumns];
      sum(left.data(), rights.data() + j * kColumns * k, k, tile);
      for (int64_t c = 0; c < std::min(kColumns, n - j * kColumns); ++c)
        std::copy_n(tile + c * kRows, rows, result.data() + first + (j * kColumns + c) * m);
    }
  });
  return result;
}

template std::vector<float> product_of(const Factor&, const Factor&, int64_t, int64_t, int64_t, Threads);
template std::vector<double> product_of(const Factor&, const Factor&, int64_t, int64_t, int64_t, Threads);
template std::vector<uint32_t> product_of(const Factor&, const Factor&, int64_t, int64_t, int64_t, Threads);

}  // namespace assay::program

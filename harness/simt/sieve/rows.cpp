// Cells of whole rows of accesses, looked at in front of a loop over threads (../regions/rows.h). They lie at
// first + k * pitch + i * stride, in turn k of count by thread i of min(elements, left - k * shrinks), `each` of them
// for an element.
#include <algorithm>
#include <bit>

#include "harness/simt/sieve/state.h"

namespace assay::simt::sieve {
namespace {

// The next segment's rows may be as far from here as these are from the last one's. Cells of shared memory are near.
void fetch_next(uintptr_t first, intptr_t pitch, int64_t count) {
  constexpr int64_t kAhead = 4;
  static uintptr_t before;
  if (first < kArena) return;
  for (int64_t k = 0; k < std::min(count, kAhead); ++k)
    for (const uintptr_t line : {0, 64})
      __builtin_prefetch(reinterpret_cast<const void*>(2 * first - before + static_cast<uintptr_t>(k * pitch) + line),
                         1);
  before = first;
}

}  // namespace
}  // namespace assay::simt::sieve

#define ASSAY_SIEVE_WIDE [[gnu::target_clones("avx2", "default")]]

ASSAY_SIEVE_WIDE
bool assay_simt_sieve_write_rows(bool proven, uintptr_t first, intptr_t pitch, int64_t count, int64_t elements,
                                 int64_t left, int64_t shrinks, uint32_t each, uint32_t written, uint32_t end) {
  if (!proven || (count == INT64_MAX && shrinks <= 0)) return false;
  assay::simt::sieve::fetch_next(first, pitch, count);
  if (pitch == 0 && count > 1) count = 1;  // each thread writes its element again
  if (count > 1 && pitch < elements * static_cast<intptr_t>(each * sizeof(uint32_t))) return false;
  const auto of_row = [&](int64_t k) { return std::min(elements, left - k * shrinks); };
  const auto row = [&](int64_t k) { return reinterpret_cast<uint32_t*>(first + static_cast<uintptr_t>(k * pitch)); };
  uint32_t last = 0;
  for (int64_t k = 0; k < count && of_row(k) > 0; ++k) {
    const uint32_t* const cells = row(k);
    const int64_t cells_of_row = of_row(k) * each;
    for (int64_t i = 0; i < cells_of_row; ++i) last = std::max(last, cells[i]);
  }
  if (last >= end) return false;
  const int shift = std::countr_zero(each);
  for (int64_t k = 0; k < count && of_row(k) > 0; ++k) {
    uint32_t* const cells = row(k);
    const auto cells_of_row = static_cast<uint32_t>(of_row(k) * each);
    for (uint32_t i = 0; i < cells_of_row; ++i) cells[i] = written + ((i >> shift) << assay::simt::sieve::kThreadShift);
  }
  return true;
}

ASSAY_SIEVE_WIDE
bool assay_simt_sieve_seen_rows(bool proven, uintptr_t first, intptr_t pitch, int64_t count, int64_t elements,
                                int64_t left, int64_t shrinks, uint32_t each, uint32_t least, uint32_t end,
                                intptr_t stride) {
  if (!proven || (count == INT64_MAX && shrinks <= 0)) return false;
  if (pitch == 0) count = std::min(count, int64_t{1});
  if (stride == 0) elements = std::min(elements, int64_t{1});
  const auto last_of_rows = [&](auto cells_of_element) {
    uint32_t last = 0;  // since `least`
    for (int64_t k = 0; k < count; ++k) {
      const int64_t of_row = std::min(elements, left - k * shrinks);
      if (of_row <= 0) break;
      uintptr_t at = first + static_cast<uintptr_t>(k * pitch);
      for (int64_t i = 0; i < of_row; ++i, at += static_cast<uintptr_t>(stride))
        for (uint32_t j = 0; j < cells_of_element; ++j)
          last = std::max(last, reinterpret_cast<const uint32_t*>(at)[j] - least);
    }
    return last;
  };
  return (each == 1 ? last_of_rows(std::integral_constant<uint32_t, 1>()) : last_of_rows(each)) < end - least;
}

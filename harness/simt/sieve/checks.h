// The checks inside of sieved kernels; the pass (../regions/checks.cpp) puts calls of these in front of accesses, by
// name.
//
// They decide the usual case, as `settled` here or as a read of an input; everything else goes to the executor.
#pragma once

#include "harness/simt/sieve/state.h"

namespace assay::simt::sieve {

#define ASSAY_SIEVE_INLINE inline __attribute__((always_inline, no_sanitize("alignment", "array-bounds")))

// A rare call, for which loops should not give up their registers.
__attribute__((noinline, preserve_most)) static void look(uintptr_t address, uint32_t bytes, bool writes,
                                                          bool in_halves, uint32_t mine) {
  assay_simt_sieve_look(address, bytes, writes, in_halves, mine, __builtin_return_address(0));
}

ASSAY_SIEVE_INLINE bool read_cell(uint32_t& cell, uint32_t mine, uint32_t least, uint32_t end) {
  const uint32_t old = cell, changed = old ^ mine;
  if (changed <= (kWrite | kWrote)) return true;
  if ((changed & ~(kThreads | kWrote)) == 0 && (old & kMany & kAcross) == (kMany & kAcross)) return true;
  if (old - least >= end - least) return false;
  cell = mine;
  return true;
}

ASSAY_SIEVE_INLINE bool write_cell(uint32_t& cell, uint32_t mine, uint32_t end) {
  const uint32_t old = cell;
  if (old >= end && (old ^ mine) > (kWrite | kWrote)) return false;
  cell = mine | kWrite | kWrote;
  return true;
}

template <unsigned bytes, bool writes>
ASSAY_SIEVE_INLINE bool settled(uint32_t* cells, uint32_t mine, uint32_t least, uint32_t end) {
  bool fine = true;
  for (unsigned i = 0; i < bytes; ++i)
    fine = fine && (writes ? write_cell(cells[i], mine, end) : read_cell(cells[i], mine, least, end));
  return fine;
}

// `mine` is the record of a read by this thread now. A buffer's cells are settled that no one of this launch has
// touched.
template <unsigned bytes, bool writes>
ASSAY_SIEVE_INLINE void global(const void* pointer, uint32_t mine, uint32_t align, uint32_t launch,
                               bool shared_halves) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if ((address & (align - 1)) != 0) [[unlikely]]
    assay_simt_sieve_give_up();
  const auto* const pages = reinterpret_cast<const uint8_t*>(kPages);
  const uint8_t page = pages[address >> kPageShift];
  if (align >= bytes || page == pages[(address + bytes - 1) >> kPageShift]) [[likely]] {
    if (!writes && page == constant) [[likely]]
      return;
    if constexpr (bytes >= 4)
      if (page == words) [[likely]]
        if (settled<bytes / 4, writes>(reinterpret_cast<uint32_t*>(kWords + (address - kArena)), mine, 1, launch))
            [[likely]]
          return;
    if constexpr (bytes == 2 || bytes == 4)
      if (page == halves)
        if (settled<bytes / 2, writes>(reinterpret_cast<uint32_t*>(kHalves + 2 * (address - kArena)), mine, 1, launch))
            [[likely]]
          return;
  }
  look(address, bytes, writes, shared_halves, mine);
}

// The cells of shared memory are settled that this block has not touched since its last barrier; those that are read it
// has written before.
template <unsigned bytes, bool writes, bool in_halves>
ASSAY_SIEVE_INLINE void shared(const void* pointer, uint32_t mine, uint32_t align, uint32_t block, uint32_t barrier) {
  const State& s = assay_simt_sieve;
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if ((address & (align - 1)) != 0) [[unlikely]]
    assay_simt_sieve_give_up();
  constexpr unsigned kGranule = in_halves ? 2 : 4;
  if constexpr (bytes >= kGranule) {
    const uintptr_t at = address - s.shared;
    if (at < s.shared_bytes) [[likely]]
      if (settled<bytes / kGranule, writes>((in_halves ? s.shared_halves : s.shared_words) + at / kGranule, mine, block,
                                            barrier)) [[likely]]
        return;
  }
  look(address, bytes, writes, in_halves, mine);
}

// The rest of a check where the pass has proven that the address is aligned and lies among those that have cells.
enum class Known { written, read, seen };  // seen: nothing that comes after asks whether it was read
template <Known known, unsigned count>
ASSAY_SIEVE_INLINE void within(uint32_t* cells, const void* pointer, unsigned bytes, bool in_halves, uint32_t mine,
                               uint32_t least, uint32_t end) {
  bool fine = true;
  if constexpr (known == Known::seen)
    for (unsigned i = 0; i < count; ++i) fine = fine && cells[i] - least < end - least;
  else
    fine = settled<count, known == Known::written>(cells, mine, least, end);
  if (!fine) [[unlikely]]
    look(reinterpret_cast<uintptr_t>(pointer), bytes, known == Known::written, in_halves, mine);
}

// Cells of a row are soon all wanted, from several places of it at once, which the processor does not foresee.
template <Page page>
ASSAY_SIEVE_INLINE bool lies_in(intptr_t least, intptr_t end, Found* last) {
  constexpr intptr_t kRow = 4096, kLine = 64;
  if constexpr (page == words)
    if (end - least <= kRow)
      for (intptr_t at = least; at < end; at += kLine)
        __builtin_prefetch(reinterpret_cast<const void*>(kWords - kArena + static_cast<uintptr_t>(at)), 1);
  if (last->generation == assay_simt_sieve.generation && least >= static_cast<intptr_t>(last->begin) &&
      end <= static_cast<intptr_t>(last->end)) [[likely]]
    return true;
  return assay_simt_sieve_find(least, end, page, last);
}

}  // namespace assay::simt::sieve

#define ASSAY_SIEVE_CHECK extern "C" __attribute__((used, always_inline)) inline void
#define ASSAY_SIEVE_CHECKS(bytes)                                                                                   \
  ASSAY_SIEVE_CHECK assay_sieve_read_global_##bytes(const void* p, uint32_t mine, uint32_t align, uint32_t launch,  \
                                                    bool halves) {                                                  \
    assay::simt::sieve::global<bytes, false>(p, mine, align, launch, halves);                                       \
  }                                                                                                                 \
  ASSAY_SIEVE_CHECK assay_sieve_read_words_##bytes(const void* p, uint32_t mine, uint32_t align, uint32_t block,    \
                                                   uint32_t barrier) {                                              \
    assay::simt::sieve::shared<bytes, false, false>(p, mine, align, block, barrier);                                \
  }                                                                                                                 \
  ASSAY_SIEVE_CHECK assay_sieve_read_halves_##bytes(const void* p, uint32_t mine, uint32_t align, uint32_t block,   \
                                                    uint32_t barrier) {                                             \
    assay::simt::sieve::shared<bytes, false, true>(p, mine, align, block, barrier);                                 \
  }                                                                                                                 \
  ASSAY_SIEVE_CHECK assay_sieve_write_global_##bytes(const void* p, uint32_t mine, uint32_t align, uint32_t launch, \
                                                     bool halves) {                                                 \
    assay::simt::sieve::global<bytes, true>(p, mine, align, launch, halves);                                        \
  }                                                                                                                 \
  ASSAY_SIEVE_CHECK assay_sieve_write_words_##bytes(const void* p, uint32_t mine, uint32_t align, uint32_t block,   \
                                                    uint32_t barrier) {                                             \
    assay::simt::sieve::shared<bytes, true, false>(p, mine, align, block, barrier);                                 \
  }                                                                                                                 \
  ASSAY_SIEVE_CHECK assay_sieve_write_halves_##bytes(const void* p, uint32_t mine, uint32_t align, uint32_t block,  \
                                                     uint32_t barrier) {                                            \
    assay::simt::sieve::shared<bytes, true, true>(p, mine, align, block, barrier);                                  \
  }
// Cells lie at `cells` from words, and from twice the address of halves.
#define ASSAY_SIEVE_WITHIN(bytes, name, known)                                                                         \
  ASSAY_SIEVE_CHECK assay_sieve_within_##name##_words_##bytes(char* p, uint32_t mine, uintptr_t cells, uint32_t block, \
                                                              uint32_t barrier) {                                      \
    auto* const at = reinterpret_cast<uint32_t*>(reinterpret_cast<uintptr_t>(p) + cells);                              \
    assay::simt::sieve::within<assay::simt::sieve::Known::known, bytes / 4>(at, p, bytes, false, mine, block,          \
                                                                            barrier);                                  \
  }
#define ASSAY_SIEVE_WITHIN_HALVES(bytes, name, known)                                                                  \
  ASSAY_SIEVE_CHECK assay_sieve_within_##name##_halves_##bytes(char* p, uint32_t mine, uintptr_t cells,                \
                                                               uint32_t block, uint32_t barrier) {                     \
    auto* const at = reinterpret_cast<uint32_t*>(2 * reinterpret_cast<uintptr_t>(p) + cells);                          \
    assay::simt::sieve::within<assay::simt::sieve::Known::known, bytes / 2>(at, p, bytes, true, mine, block, barrier); \
  }
#define ASSAY_SIEVE_WITHIN_GLOBAL(bytes, first, per_byte, granule)                                                 \
  ASSAY_SIEVE_CHECK assay_sieve_within_write_global_##bytes(char* p, uint32_t mine, uint32_t, uint32_t launch,     \
                                                            bool halves) {                                         \
    auto* const at = reinterpret_cast<uint32_t*>(                                                                  \
        assay::simt::sieve::first + per_byte * (reinterpret_cast<uintptr_t>(p) - assay::simt::sieve::kArena));     \
    assay::simt::sieve::within<assay::simt::sieve::Known::written, bytes / granule>(at, p, bytes, halves, mine, 1, \
                                                                                    launch);                       \
  }
#define ASSAY_SIEVE_WITHIN_ALL(make, bytes) make(bytes, write, written) make(bytes, read, read) make(bytes, see, seen)

ASSAY_SIEVE_CHECK assay_sieve_give_up_if(bool wrong) {
  if (wrong) [[unlikely]]
    assay_simt_sieve_give_up();
}
ASSAY_SIEVE_CHECKS(1)
ASSAY_SIEVE_CHECKS(2)
ASSAY_SIEVE_CHECKS(4)
ASSAY_SIEVE_CHECKS(8)
ASSAY_SIEVE_CHECKS(16)
ASSAY_SIEVE_WITHIN_GLOBAL(2, kHalves, 2, 2)
ASSAY_SIEVE_WITHIN_GLOBAL(4, kWords, 1, 4)
ASSAY_SIEVE_WITHIN_GLOBAL(8, kWords, 1, 4)
ASSAY_SIEVE_WITHIN_GLOBAL(16, kWords, 1, 4)
ASSAY_SIEVE_WITHIN_ALL(ASSAY_SIEVE_WITHIN, 4)
ASSAY_SIEVE_WITHIN_ALL(ASSAY_SIEVE_WITHIN, 8)
ASSAY_SIEVE_WITHIN_ALL(ASSAY_SIEVE_WITHIN, 16)
ASSAY_SIEVE_WITHIN_ALL(ASSAY_SIEVE_WITHIN_HALVES, 2)
ASSAY_SIEVE_WITHIN_ALL(ASSAY_SIEVE_WITHIN_HALVES, 4)
ASSAY_SIEVE_WITHIN_ALL(ASSAY_SIEVE_WITHIN_HALVES, 8)
ASSAY_SIEVE_WITHIN_ALL(ASSAY_SIEVE_WITHIN_HALVES, 16)
#define ASSAY_SIEVE_LIES_IN(page)                                                         \
  extern "C" __attribute__((used, always_inline)) inline bool assay_sieve_lies_in_##page( \
      intptr_t least, intptr_t end, assay::simt::sieve::Found* last) {                    \
    return assay::simt::sieve::lies_in<assay::simt::sieve::page>(least, end, last);       \
  }
ASSAY_SIEVE_LIES_IN(constant)
ASSAY_SIEVE_LIES_IN(words)
ASSAY_SIEVE_LIES_IN(halves)
#undef ASSAY_SIEVE_LIES_IN
#undef ASSAY_SIEVE_WITHIN_ALL
#undef ASSAY_SIEVE_WITHIN_GLOBAL
#undef ASSAY_SIEVE_WITHIN_HALVES
#undef ASSAY_SIEVE_WITHIN
#undef ASSAY_SIEVE_CHECKS
#undef ASSAY_SIEVE_CHECK
#undef ASSAY_SIEVE_INLINE

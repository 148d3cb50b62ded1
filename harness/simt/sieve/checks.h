// The checks inside of sieved kernels; the pass (../regions/checks.cpp) puts calls of these in front of accesses, by
// name.
//
// They decide the usual case, as `settled` here or as a read of an input; everything else goes to the executor.
#pragma once

#include "harness/simt/sieve/state.h"

namespace assay::simt::sieve {

#define ASSAY_SIEVE_INLINE inline __attribute__((always_inline, no_sanitize("alignment", "array-bounds")))

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
  assay_simt_sieve_look(address, bytes, writes, shared_halves, mine);
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
  assay_simt_sieve_look(address, bytes, writes, in_halves, mine);
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
ASSAY_SIEVE_CHECK assay_sieve_give_up_if(bool wrong) {
  if (wrong) [[unlikely]]
    assay_simt_sieve_give_up();
}
ASSAY_SIEVE_CHECKS(1)
ASSAY_SIEVE_CHECKS(2)
ASSAY_SIEVE_CHECKS(4)
ASSAY_SIEVE_CHECKS(8)
ASSAY_SIEVE_CHECKS(16)
#undef ASSAY_SIEVE_CHECKS
#undef ASSAY_SIEVE_CHECK
#undef ASSAY_SIEVE_INLINE

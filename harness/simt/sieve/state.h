// The data that checks inside a sieved kernel and the executor share: the shadow of memory, and the time.
//
// A cell of 32 bits stands for one granule: a word of 4 bytes, or a half of 2 where a buffer's elements or a kernel's
// shared arrays have 2. It holds the strongest access since the block's last barrier, and what it must not forget of
// this launch:
//
//   interval 19 | thread 11 | wrote | write
//
// `write`: that thread wrote; otherwise it, or kMany threads, or kAcross also of other blocks, read. `wrote`: some
// thread of that block has written it in this launch. 0 was never written, kOutside is nobody's.
#pragma once

#include <cstdint>

namespace assay::simt::sieve {

inline constexpr uint32_t kTick = 1u << 13, kWrite = 1, kWrote = 2, kThreadShift = 2;
inline constexpr uint32_t kMany = 0x7ffu << kThreadShift, kAcross = 0x7feu << kThreadShift;
inline constexpr uint32_t kThreads = 0x7ffu << kThreadShift;
inline constexpr uint32_t kOutside = ~0u, kLastTick = ~0u - 4 * kTick;
inline constexpr uint32_t kOld = 1;  // has a value from before any launch

// Fixed, so that they are constants of the code. Pages are those of all addresses that a process may have.
inline constexpr uintptr_t kArena = uintptr_t{1} << 45, kArenaBytes = uintptr_t{1} << 33;
inline constexpr uintptr_t kWords = kArena + (uintptr_t{1} << 36), kHalves = kArena + (uintptr_t{2} << 36);
inline constexpr uintptr_t kPages = kArena + (uintptr_t{4} << 36), kPagesBytes = uintptr_t{1} << 35;
inline constexpr unsigned kPageShift = 12;

enum Page : uint8_t { none, constant, words, halves, constant_in_part };

// A buffer in which all addresses of a piece lay last time; of another generation, nothing.
struct Found {
  uintptr_t begin, end;
  uint64_t generation;
};

struct State {
  uint32_t now, barrier, block, launch;    // intervals, where cells have them
  uintptr_t shared, shared_bytes;          // of the launched kernel's module
  uint32_t *shared_words, *shared_halves;  // cells
  uint64_t generation;                     // of buffers
};

}  // namespace assay::simt::sieve

extern "C" {
#pragma GCC visibility push(default)
extern assay::simt::sieve::State assay_simt_sieve;
// Judges an access that the checks inside do not find right: returns, with its record made, or ends the launch.
void assay_simt_sieve_look(uintptr_t address, uint32_t bytes, bool writes, bool shared_halves, uint32_t mine,
                           const void* pc);
// Whether the bytes from `least` to `end` lie in one buffer whose pages are of the kind.
bool assay_simt_sieve_find(intptr_t least, intptr_t end, uint32_t page, assay::simt::sieve::Found* found);
// Rows of cells (rows.cpp): whether no one has touched them since `end`; then they are written, with `written` and its
// successors of neighbouring threads. And whether they are from `least` to `end`.
bool assay_simt_sieve_write_rows(bool proven, uintptr_t first, intptr_t pitch, int64_t count, int64_t elements,
                                 int64_t left, int64_t shrinks, uint32_t each, uint32_t written, uint32_t end);
bool assay_simt_sieve_seen_rows(bool proven, uintptr_t first, intptr_t pitch, int64_t count, int64_t elements,
                                int64_t left, int64_t shrinks, uint32_t each, uint32_t least, uint32_t end,
                                intptr_t stride);
// Ends the launch: nothing is proven of it.
[[noreturn]] void assay_simt_sieve_give_up();
// Every thread of the block has come to a barrier.
void assay_simt_sieve_barrier();
#pragma GCC visibility pop
}

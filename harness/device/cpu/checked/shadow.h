// The shadow of memory: what the checks remember of every 4 bytes.
//
// A cell of 16 bytes stands for 4 bytes of memory: its last write and its reads, each with the time and the thread.
// Time is a counter of the launch's synchronisations ("tick"), not of accesses, so two accesses of one tick have no
// order whichever ran first. That is why a race is found under every schedule.
//
//   record   0 | tick 26 | many | thread 10 | cross | wide | atomic | site 23
//   half     1 | tick 26 | 1 | writer 10 | reader 10 | has_writer | many | has_reader | cross | atomic | init 2 | 1 | wrote | site 7
//   marker   1 | 0 … | 1 | 0 … | 0 | which
//
// Accesses of whole words keep two records: the last write, and the reads. Once part of a word is accessed alone, the
// cell holds two halves of 2 bytes instead, each with one tick, the older one where they differ. Bit 63 and bit 36 are
// set in halves and markers, so that the two comparisons of the fast path (hooks.cpp) reject them.
#pragma once

#include <cstdint>

namespace assay::simt::checked {

struct Cell {
  uint64_t write;
  uint64_t read;
};

inline constexpr unsigned kTickShift = 37;
inline constexpr uint64_t kTickMax = (uint64_t{1} << 26) - 1;
inline constexpr unsigned kThreadShift = 26;
inline constexpr uint64_t kThreadMask = 0x7ff;  // with `many`: no thread equals a record of many

inline constexpr uint64_t kMany = uint64_t{1} << 36;   // more than one thread since the block's last barrier
inline constexpr uint64_t kCross = uint64_t{1} << 25;  // another block of this launch too
inline constexpr uint64_t kWide = uint64_t{1} << 24;   // the many are of more than one warp
inline constexpr uint64_t kAtomic = uint64_t{1} << 23;
inline constexpr uint64_t kSiteMask = kAtomic - 1;  // the low bits of the return address

inline constexpr uint64_t kSpecial = uint64_t{1} << 63;
inline constexpr uint64_t kMarker = kSpecial | kMany;
inline constexpr uint64_t kUnaddressable = kMarker | 1;
inline constexpr uint64_t kForeign = kMarker | 2;  // thread-locals that are no shared memory
inline constexpr uint64_t kOldWrite = uint64_t{1} << kTickShift;  // initialised before any launch

inline constexpr uint64_t tick_of(uint64_t word) { return word >> kTickShift & kTickMax; }
inline constexpr uint32_t thread_of(uint64_t word) { return static_cast<uint32_t>(word >> kThreadShift & 0x3ff); }

// A half of a cell, unpacked.
struct Half {
  uint64_t tick = 0;
  uint32_t writer = 0, reader = 0;
  bool has_writer = false, has_reader = false, many = false, cross = false, atomic = false;
  bool wrote = false;  // its writer's block wrote it in this launch, before the block's last barrier
  uint32_t init = 0;   // which of the two bytes have ever been written
  uint32_t site = 0;  // an index of the sites of part-word accesses; 0: not known
};

inline constexpr uint64_t kHalf = kMarker | 1 << 8;
inline constexpr bool is_half(uint64_t word) { return (word & kHalf) == kHalf; }

inline constexpr uint64_t pack(const Half& h) {
  return kHalf | h.tick << kTickShift | uint64_t{h.writer} << 26 | uint64_t{h.reader} << 16 |
         uint64_t{h.has_writer} << 15 | uint64_t{h.many} << 14 | uint64_t{h.has_reader} << 13 |
         uint64_t{h.cross} << 12 | uint64_t{h.atomic} << 11 | uint64_t{h.init} << 9 | uint64_t{h.wrote} << 7 | h.site;
}

inline constexpr uint32_t kHalfSites = 128;

inline constexpr Half unpack(uint64_t word) {
  return {.tick = tick_of(word),
          .writer = static_cast<uint32_t>(word >> 26 & 0x3ff),
          .reader = static_cast<uint32_t>(word >> 16 & 0x3ff),
          .has_writer = (word >> 15 & 1) != 0,
          .has_reader = (word >> 13 & 1) != 0,
          .many = (word >> 14 & 1) != 0,
          .cross = (word >> 12 & 1) != 0,
          .atomic = (word >> 11 & 1) != 0,
          .wrote = (word >> 7 & 1) != 0,
          .init = static_cast<uint32_t>(word >> 9 & 3),
          .site = static_cast<uint32_t>(word & 0x7f)};
}

}  // namespace assay::simt::checked

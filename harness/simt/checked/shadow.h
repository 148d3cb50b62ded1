// The shadow of memory: what the checks remember of every 4 bytes.
//
// A cell of 16 bytes stands for 4 bytes of memory: its last write and its reads, each with the time and the thread.
// Time is a counter of the launch's synchronisations ("tick"), not of accesses, so two accesses of one tick have no
// order whichever ran first. That is why a race is found under every schedule.
//
//   record   0 | tick 26 | many | thread 10 | cross | wide | atomic | site 23
//   half     1 | tick 26 | 1 | writer 10 | reader 10 | has_writer | many | has_reader | cross | atomic | init 2 | 1 |
//   wrote | site 7 marker   1 | 0 … | 1 | 0 … | 0 | which
//   copying  1 | tick 26 | 1 | thread 10 | 0 … | 4   in front,   1 | site 23 | 1 | 0 … | 4   behind
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
inline constexpr uint64_t kForeign = kMarker | 2;                 // thread-locals that are no shared memory
inline constexpr uint64_t kCopying = kMarker | 4;                 // the destination of a cp.async under way
inline constexpr uint64_t kOldWrite = uint64_t{1} << kTickShift;  // initialised before any launch

inline constexpr uint64_t tick_of(uint64_t word) { return word >> kTickShift & kTickMax; }
inline constexpr uint32_t thread_of(uint64_t word) { return static_cast<uint32_t>(word >> kThreadShift & 0x3ff); }

inline constexpr bool is_copying(uint64_t word) {
  return (word & (kMarker | ((uint64_t{1} << kThreadShift) - 1))) == kCopying;
}

// A half of a cell, unpacked.
struct Half {
  uint64_t tick = 0;
  uint32_t writer = 0, reader = 0;
  bool has_writer = false, has_reader = false, many = false, cross = false, atomic = false;
  bool wrote = false;  // its writer's block wrote it in this launch, before the block's last barrier
  uint32_t init = 0;   // which of the two bytes have ever been written
  uint32_t site = 0;   // an index of the sites of part-word accesses; 0: not known
};

inline constexpr uint64_t kHalf = kMarker | 1 << 8;
inline constexpr unsigned kHalfWriterShift = 26, kHalfReaderShift = 16, kHalfInitShift = 9;
inline constexpr uint64_t kHalfHasWriter = 1 << 15, kHalfMany = 1 << 14, kHalfHasReader = 1 << 13, kHalfCross = 1 << 12,
                          kHalfAtomic = 1 << 11, kHalfInit = 3 << kHalfInitShift, kHalfWrote = 1 << 7;
inline constexpr uint32_t kHalfSites = 128;
inline constexpr bool is_half(uint64_t word) { return (word & kHalf) == kHalf; }

inline constexpr uint64_t pack(const Half& h) {
  return kHalf | h.tick << kTickShift | uint64_t{h.writer} << kHalfWriterShift |
         uint64_t{h.reader} << kHalfReaderShift | (h.has_writer ? kHalfHasWriter : 0) | (h.many ? kHalfMany : 0) |
         (h.has_reader ? kHalfHasReader : 0) | (h.cross ? kHalfCross : 0) | (h.atomic ? kHalfAtomic : 0) |
         uint64_t{h.init} << kHalfInitShift | (h.wrote ? kHalfWrote : 0) | h.site;
}

inline constexpr Half unpack(uint64_t word) {
  return {.tick = tick_of(word),
          .writer = static_cast<uint32_t>(word >> kHalfWriterShift & 0x3ff),
          .reader = static_cast<uint32_t>(word >> kHalfReaderShift & 0x3ff),
          .has_writer = (word & kHalfHasWriter) != 0,
          .has_reader = (word & kHalfHasReader) != 0,
          .many = (word & kHalfMany) != 0,
          .cross = (word & kHalfCross) != 0,
          .atomic = (word & kHalfAtomic) != 0,
          .wrote = (word & kHalfWrote) != 0,
          .init = static_cast<uint32_t>(word >> kHalfInitShift & 3),
          .site = static_cast<uint32_t>(word & (kHalfSites - 1))};
}

}  // namespace assay::simt::checked

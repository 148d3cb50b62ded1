// Whole words: a cell keeps the last write and the reads as two records.
#include "harness/simt/checked/records.h"

namespace assay::simt::checked {
namespace {

Past past(const Now& now, uint64_t record) {
  return {.exists = true,
          .tick = tick_of(record),
          .thread = thread_of(record),
          .many = (record & kMany) != 0,
          .wide = (record & kWide) != 0,
          .cross = (record & kCross) != 0,
          .atomic = (record & kAtomic) != 0,
          .pc = Records::pc_of(now, record & kSiteMask)};
}

// The read that begins a loop of compare-and-swaps is part of it.
bool begins_compare_and_swap(const Now& now, uint64_t read) {
  return now.compares && thread_of(read) == now.me && (read & (kMany | kCross)) == 0;
}

}  // namespace

const void* Records::pc_of(const Now& now, uint64_t site) {
  const auto here = reinterpret_cast<uintptr_t>(now.pc);
  uintptr_t pc = (here & ~uintptr_t{kSiteMask}) | site;
  constexpr uintptr_t kSpan = kSiteMask + 1;
  if (pc > here + kSpan / 2) pc -= kSpan;
  if (pc + kSpan / 2 < here) pc += kSpan;
  return reinterpret_cast<const void*>(pc);
}

uint64_t Records::record(const Now& now) const {
  return time_.now() << kTickShift | uint64_t{now.me} << kThreadShift |
         (reinterpret_cast<uintptr_t>(now.pc) & kSiteMask);
}

bool Records::is_uninitialised(const Now& now, uint64_t write) const {
  if (now.space == Space::shared) return tick_of(write) < time_.block();
  return now.space == Space::device && write == 0 && arena_.page(now.cell) == Page::fresh;
}

bool Records::settled(const Now& now, const Cell& cell) const {
  if (now.compares || is_uninitialised(now, cell.write)) return false;
  const uint64_t safe = now.space == Space::shared ? time_.barrier() : time_.launch();
  const bool both_atomic = now.access == Access::atomic && (cell.write & kAtomic) != 0 && !now.of_block;
  return (both_atomic || tick_of(cell.write) < safe) && (now.access == Access::read || tick_of(cell.read) < safe);
}

History Records::history(const Now& now, const Cell& cell) const {
  History history{.uninitialised = is_uninitialised(now, cell.write), .write = past(now, cell.write), .read = {}};
  if (now.access != Access::read && !begins_compare_and_swap(now, cell.read)) history.read = past(now, cell.read);
  history.read.atomic = false;
  return history;
}

// A record of several reads (or atomics) with one more.
uint64_t Records::merged(const Now& now, uint64_t old, uint64_t mine) const {
  const uint64_t tick = tick_of(old);
  const bool device = now.space != Space::shared;
  if (tick < (device ? time_.launch() : time_.barrier())) return mine;
  if (device && (tick < time_.block() || (old & kCross) != 0)) mine |= kCross;
  if (tick < time_.barrier()) return mine;
  if (thread_of(old) == now.me && (old & kMany) == 0) return mine;
  // Reads that came before this one by a meeting of lanes need no record beside it: who comes after this one comes
  // after those. Lanes that read a word, meet, and of which one then adds to it are not at fault.
  if ((old & kWide) == 0 && time_.have_met_since(now.me, thread_of(old), tick)) return mine;
  // The first of many is kept: a thread that is about to write has often just read, and would be the last.
  const bool wide = (old & kWide) != 0 || thread_of(old) / 32 != now.me / 32;
  const uint64_t flags = (mine & kCross) | kMany | (wide ? kWide : 0);
  return time_.now() << kTickShift | uint64_t{thread_of(old)} << kThreadShift | (old & kSiteMask) | flags;
}

bool Records::drops_reader(const Now& now, const Cell& cell) const {
  const uint64_t since = now.space == Space::shared ? time_.barrier() : time_.launch();
  return tick_of(cell.read) >= since && (cell.read & (kMany | kCross)) == 0 &&
         (thread_of(cell.read) != now.me || tick_of(cell.read) < time_.block());
}

void Records::note(const Now& now, Cell& cell) const {
  const uint64_t mine = record(now);
  if (cell.write == 0 && now.space != Space::shared) cell.write = kOldWrite;
  if (now.access == Access::read) {
    cell.read = merged(now, cell.read, mine);
    return;
  }
  if (begins_compare_and_swap(now, cell.read)) cell.read = 0;
  // A plain write of this interval stays known: the atomics of other blocks race with it.
  const bool earlier_atomic = (cell.write & kAtomic) != 0;
  const bool own_plain =
      cell.write != 0 && !earlier_atomic && thread_of(cell.write) == now.me && tick_of(cell.write) >= time_.barrier();
  if (now.access == Access::atomic && own_plain) return;
  cell.write = now.access == Access::atomic ? (earlier_atomic ? merged(now, cell.write, mine) : mine) | kAtomic : mine;
}

}  // namespace assay::simt::checked

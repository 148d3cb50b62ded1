// Whole words: a cell keeps the last write and the reads as two records.
#include "harness/simt/checked/detector.h"

namespace assay::simt::checked {

uint64_t Detector::record(const Now& now) const {
  return tick_ << kTickShift | uint64_t{now.me} << kThreadShift | (reinterpret_cast<uintptr_t>(now.pc) & kSiteMask);
}

// Whether an access of `thread` at `tick` came before this one, by a barrier, by the end of its launch, or by one of
// the means of clocks.h. The flags say whether the record stands for more than that one access.
bool Detector::ordered(const Now& now, uint64_t tick, uint32_t thread, bool many, bool wide, bool cross) {
  if (now.space == Space::shared) {
    if (tick < barrier_) return true;
  } else {
    if (tick < launch_) return true;
    if (tick < block_) return clocks_.knows(now.me, tick, thread);
    if (cross && !clocks_.knows_anything(now.me)) return false;
    if (tick < barrier_) return true;
  }
  if (thread == now.me && !many) return true;
  if (!wide && clocks_.lanes_met(now.me, thread, tick)) return true;
  return clocks_.knows(now.me, tick, thread);
}

bool Detector::comes_before(const Now& now, uint64_t r) {
  return ordered(now, tick_of(r), thread_of(r), (r & kMany) != 0, (r & kWide) != 0, (r & kCross) != 0);
}

bool Detector::is_uninitialised(const Now& now, uint64_t write) const {
  if (now.space == Space::shared) return tick_of(write) < block_;
  return now.space == Space::device && write == 0 && arena.page(now.cell) == Page::fresh;
}

// What a record of several reads (or atomics) becomes with one more.
uint64_t Detector::merged(const Now& now, uint64_t old, uint64_t mine) const {
  const uint64_t tick = tick_of(old);
  const bool device = now.space != Space::shared;
  if (tick < (device ? launch_ : barrier_)) return mine;
  if (device && (tick < block_ || (old & kCross) != 0)) mine |= kCross;
  if (tick < barrier_) return mine;
  if (thread_of(old) == now.me && (old & kMany) == 0) return mine;
  // The first of many is kept: a thread that is about to write has often just read, and would be the last.
  const bool wide = (old & kWide) != 0 || thread_of(old) / 32 != now.me / 32;
  const uint64_t flags = (mine & kCross) | kMany | (wide ? kWide : 0);
  return tick_ << kTickShift | uint64_t{thread_of(old)} << kThreadShift | (old & kSiteMask) | flags;
}

void Detector::check_word(const Now& now, Cell& cell) {
  const uint64_t mine = record(now);
  const bool reads = now.access == Access::read || (now.access == Access::atomic && now.reads_value);
  if (reads && is_uninitialised(now, cell.write)) report_uninitialised(now);
  if (cell.write == 0 && now.space != Space::shared) cell.write = kOldWrite;
  const bool earlier_atomic = (cell.write & kAtomic) != 0;
  const bool both_atomic = earlier_atomic && now.access == Access::atomic;
  if (checks.races && !both_atomic && !comes_before(now, cell.write))
    report_race(now, earlier_atomic ? Access::atomic : Access::write, cell.write);
  if (now.access == Access::read) {
    cell.read = merged(now, cell.read, mine);
    return;
  }
  // The read that begins a loop of compare-and-swaps is part of it.
  if (now.compares && thread_of(cell.read) == now.me && (cell.read & (kMany | kCross)) == 0) cell.read = 0;
  if (checks.races && !comes_before(now, cell.read)) report_race(now, Access::read, cell.read);
  // A plain write of this interval stays known: the atomics of other blocks race with it.
  const bool own_plain =
      cell.write != 0 && !earlier_atomic && thread_of(cell.write) == now.me && tick_of(cell.write) >= barrier_;
  if (now.access == Access::atomic && own_plain) return;
  cell.write = now.access == Access::atomic ? (earlier_atomic ? merged(now, cell.write, mine) : mine) | kAtomic : mine;
}

void Detector::report_uninitialised(const Now& now) {
  if (!checks.uninitialised) return;
  report(Kind::uninitialised, now,
         now.space == Space::shared
             ? "but this block has not written it; shared memory starts with what an earlier block left"
             : "but nothing has written it; outputs and workspaces do not start with zeros");
}

// Records keep the low bits of a return address; the rest is that of the access that found it.
const void* Detector::pc_of(const Now& now, uint64_t site) const {
  const auto here = reinterpret_cast<uintptr_t>(now.pc);
  uintptr_t pc = (here & ~uintptr_t{kSiteMask}) | site;
  constexpr uintptr_t kSpan = kSiteMask + 1;
  if (pc > here + kSpan / 2) pc -= kSpan;
  if (pc + kSpan / 2 < here) pc += kSpan;
  return reinterpret_cast<const void*>(pc);
}

void Detector::report_race(const Now& now, Access earlier, uint64_t r) {
  // With several readers recorded, another than this thread is meant.
  const bool many = (r & kMany) != 0;
  report_race(now,
              {.pc = pc_of(now, r & kSiteMask),
               .access = earlier,
               .block = 0,
               .thread = thread_of(r),
               .others_too = many,
               .one_warp = many && (r & kWide) == 0,
               .other_blocks = (r & kCross) != 0,
               .thread_known = thread_of(r) != now.me || tick_of(r) < block_},
              tick_of(r));
}

void Detector::report_race(const Now& now, Party earlier, uint64_t tick) {
  earlier.block = block_at(tick);
  if ((now.access == Access::read && earlier.access == Access::atomic) ||
      (now.access == Access::atomic && earlier.access == Access::read))
    suspects_.push_back({now, earlier});
  else
    add_race(now, earlier);
}

void Detector::add_race(const Now& now, const Party& earlier) {
  if (!log_.is_new(Kind::race, now.pc, earlier.pc)) return;
  Report r{.kind = Kind::race, .me = {}, .earlier = earlier, .place = place(now), .what = {}};
  r.me = {.pc = now.pc, .access = now.access, .block = block_number_, .thread = now.me};
  log_.add(std::move(r));
}

void Detector::flush_suspects() {
  for (const Suspect& suspect : suspects_)
    if (!compared_.contains(suspect.now.address)) add_race(suspect.now, suspect.earlier);
  suspects_.clear();
}

}  // namespace assay::simt::checked

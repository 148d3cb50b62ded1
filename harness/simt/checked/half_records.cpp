// Parts of words: 16-bit elements, bytes, and unaligned accesses.
//
// A half has one tick for what its bytes saw since the last barrier; where accesses differ in it, the older one, so
// that warp-synchronous code may go unreported but is never reported wrongly. Two bytes of one half that are both in
// use are told apart by nothing here, so single bytes with an initialised neighbour are not checked for races.
#include "harness/simt/checked/detector.h"

#include <algorithm>

namespace assay::simt::checked {

// Sites of part-word accesses by number, because a half has no room for an address.
uint32_t Detector::site_number(const void* pc) {
  const auto address = reinterpret_cast<uintptr_t>(pc);
  const auto known = std::find(half_sites_.begin(), half_sites_.end(), pc);
  if (known == half_sites_.end() && half_sites_.size() >= kHalfSites) return 0;
  const auto number = static_cast<uint32_t>(known - half_sites_.begin());
  if (known == half_sites_.end()) half_sites_.push_back(pc);
  half_site_entry(hook_state, address) = half_site(address, number);
  return number;
}

// From two records to two halves that say the same, less what has no room.
void Detector::split(const Now& now, Cell& cell) {
  const bool device = now.space != Space::shared;
  const uint64_t write_tick = tick_of(cell.write), read_tick = tick_of(cell.read);
  const uint64_t begin = device ? launch_ : block_;
  Half half{.tick = barrier_, .init = is_uninitialised(now, cell.write) ? 0u : 3u};
  const bool foreign_write = write_tick >= begin && write_tick < block_;
  const bool foreign_read = read_tick >= begin && read_tick < block_;
  if (foreign_write || write_tick >= barrier_) {
    half.has_writer = true;
    half.writer = thread_of(cell.write);
    half.atomic = (cell.write & kAtomic) != 0;
    half.tick = write_tick;
    half.site = site_number(pc_of(now, cell.write & kSiteMask));
  } else {
    half.wrote = device && write_tick >= block_;
  }
  if (!foreign_write && (foreign_read || read_tick >= barrier_)) {
    half.has_reader = true;
    half.reader = thread_of(cell.read);
    half.many = (cell.read & kMany) != 0;
    half.tick = half.has_writer ? std::min(half.tick, read_tick) : read_tick;
    if (!half.has_writer) half.site = site_number(pc_of(now, cell.read & kSiteMask));
  }
  half.cross = device && read_tick >= launch_ && (cell.read & kCross) != 0;
  cell = {pack(half), pack(half)};
}

// A word written as a whole needs no halves once they agree that this was the last that happened.
void Detector::unite(const Now& now, Cell& cell) const {
  if (cell.write != cell.read) return;
  const Half half = unpack(cell.write);
  const bool mine_alone = half.has_writer && half.writer == now.me && half.tick == tick_ && !half.atomic;
  if (mine_alone && !half.has_reader && !half.cross && half.init == 3) cell = {record(now), 0};
}

void Detector::check_half(const Now& now, uint64_t& word, uint32_t byte_mask) {
  Half half = unpack(word);
  const bool device = now.space != Space::shared;
  if (half.tick < (device ? launch_ : block_)) half = {.init = device ? half.init : 0};
  const bool reads = now.access == Access::read || (now.access == Access::atomic && now.reads_value);
  if (reads && (half.init & byte_mask) != byte_mask) report_uninitialised(now);

  const bool same_bytes = byte_mask == 3 || half.init == byte_mask;
  const auto unordered = [&](uint32_t thread, bool many, bool cross) {
    return checks.races && same_bytes && !ordered(now, half.tick, thread, many, false, cross);
  };
  const auto party = [&](Access access, uint32_t thread, bool many) {
    return Party{.pc = half_sites_[half.site < half_sites_.size() ? half.site : 0],
                 .access = access,
                 .block = 0,
                 .thread = thread,
                 .others_too = many,
                 .thread_known = thread != now.me || half.tick < block_};
  };
  const bool other_block = device && half.tick >= launch_ && half.tick < block_;
  const bool both_atomic = half.atomic && now.access == Access::atomic;
  const Access writing = half.atomic ? Access::atomic : Access::write;
  if (half.has_writer && !both_atomic && unordered(half.writer, false, false)) {
    report_race(now, party(writing, half.writer, false), half.tick);
  } else if (half.wrote && other_block && !both_atomic && unordered(half.writer, false, false)) {
    Party earlier = party(writing, half.writer, false);
    earlier.thread_known = false;
    report_race(now, earlier, half.tick);
  }
  if (now.compares && half.has_reader && half.reader == now.me && !half.many) half.has_reader = false;
  if (now.access != Access::read && (half.has_reader || half.cross) && unordered(half.reader, half.many, half.cross))
    report_race(now, party(Access::read, half.reader, half.many), half.tick);

  // What stays of the past: of other blocks that they read, of this one before the barrier that it wrote.
  if (half.tick < launch_ || other_block) {
    half = {.tick = tick_, .cross = other_block && (half.cross || half.has_reader), .init = half.init};
  } else if (half.tick < barrier_) {
    half = {.tick = tick_, .cross = half.cross, .wrote = device && (half.wrote || half.has_writer), .init = half.init};
  } else if ((!half.has_writer || half.writer == now.me) &&
             (!half.has_reader || (half.reader == now.me && !half.many))) {
    half.tick = tick_;
  }
  if (now.access == Access::read) {
    half.many = half.has_reader && (half.many || half.reader != now.me);
    half.has_reader = true;
    half.reader = now.me;
    if (!half.has_writer) half.site = site_number(now.pc);
  } else {
    if (half.has_reader && half.reader == now.me && !half.many) half.has_reader = false;
    half.has_writer = true;
    half.writer = now.me;
    half.atomic = now.access == Access::atomic;
    half.init |= byte_mask;
    half.site = site_number(now.pc);
  }
  word = pack(half);
}

}  // namespace assay::simt::checked

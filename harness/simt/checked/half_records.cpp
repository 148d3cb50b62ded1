// Parts of words: 16-bit elements, bytes, and unaligned accesses.
//
// A half has one tick for what its bytes saw since the last barrier; where accesses differ in it, the older one, so
// that warp-synchronous code may go unreported but is never reported wrongly. Nothing here tells apart two bytes of one
// half that are both in use: bytes that are accessed alone have records of their own beside it (Monitor::byte_cell), and
// a byte whose neighbour has a value is not compared with accesses of both.
#include <algorithm>

#include "harness/simt/checked/records.h"

namespace assay::simt::checked {

// Sites of part-word accesses by number, because a half has no room for an address.
uint32_t Records::site_number(const void* pc) {
  const auto address = reinterpret_cast<uintptr_t>(pc);
  const auto known = std::find(half_sites_.begin(), half_sites_.end(), pc);
  if (known == half_sites_.end() && half_sites_.size() >= kHalfSites) return 0;
  const auto number = static_cast<uint32_t>(known - half_sites_.begin());
  if (known == half_sites_.end()) half_sites_.push_back(pc);
  half_site_entry(hook_state, address) = half_site(address, number);
  return number;
}

// Turns two records into two halves that say the same, less what has no room.
void Records::split(const Now& now, Cell& cell) {
  const bool device = now.space != Space::shared;
  const uint64_t write_tick = tick_of(cell.write), read_tick = tick_of(cell.read);
  const uint64_t begin = device ? time_.launch() : time_.block();
  Half half{.tick = time_.barrier(), .init = is_uninitialised(now, cell.write) ? 0u : 3u};
  const bool foreign_write = write_tick >= begin && write_tick < time_.block();
  const bool foreign_read = read_tick >= begin && read_tick < time_.block();
  if (foreign_write || write_tick >= time_.barrier()) {
    half.has_writer = true;
    half.writer = thread_of(cell.write);
    half.atomic = (cell.write & kAtomic) != 0;
    half.tick = write_tick;
    half.site = site_number(pc_of(now, cell.write & kSiteMask));
  } else {
    half.wrote = device && write_tick >= time_.block();
  }
  if (!foreign_write && (foreign_read || read_tick >= time_.barrier())) {
    half.has_reader = true;
    half.reader = thread_of(cell.read);
    half.many = (cell.read & kMany) != 0;
    half.tick = half.has_writer ? std::min(half.tick, read_tick) : read_tick;
    if (!half.has_writer) half.site = site_number(pc_of(now, cell.read & kSiteMask));
  }
  half.cross = device && read_tick >= time_.launch() && (cell.read & kCross) != 0;
  cell = {pack(half), pack(half)};
}

// A word written as a whole needs no halves once they agree that this was the last that happened.
void Records::unite(const Now& now, Cell& cell) const {
  if (cell.write != cell.read) return;
  const Half half = unpack(cell.write);
  const bool mine_alone = half.has_writer && half.writer == now.me && half.tick == time_.now() && !half.atomic;
  if (mine_alone && !half.has_reader && !half.cross && half.init == 3) cell = {record(now), 0};
}

Half Records::half(const Now& now, uint64_t word) const {
  Half half = unpack(word);
  const bool device = now.space != Space::shared;
  if (half.tick < (device ? time_.launch() : time_.block())) half = {.init = device ? half.init : 0};
  return half;
}

History Records::history(const Now& now, const Half& half, uint32_t byte_mask) const {
  History history{.uninitialised = (half.init & byte_mask) != byte_mask,
                  .told_apart = byte_mask == 3 || half.init == byte_mask,
                  .half = true,
                  .write = {},
                  .read = {}};
  const bool other_block = now.space != Space::shared && half.tick >= time_.launch() && half.tick < time_.block();
  const void* const pc = half_sites_[half.site < half_sites_.size() ? half.site : 0];
  if (half.has_writer || (half.wrote && other_block))
    history.write = {.exists = true,
                     .tick = half.tick,
                     .thread = half.writer,
                     .thread_known = half.has_writer,
                     .atomic = half.atomic,
                     .pc = pc};
  // The read that begins a loop of compare-and-swaps is part of it.
  const bool begins_loop = now.compares && half.reader == now.me && !half.many;
  if (now.access != Access::read && ((half.has_reader && !begins_loop) || half.cross))
    history.read = {
        .exists = true, .tick = half.tick, .thread = half.reader, .many = half.many, .cross = half.cross, .pc = pc};
  return history;
}

uint64_t Records::note(const Now& now, Half half, uint32_t byte_mask) {
  const bool device = now.space != Space::shared;
  const bool other_block = device && half.tick >= time_.launch() && half.tick < time_.block();
  if (now.compares && half.has_reader && half.reader == now.me && !half.many) half.has_reader = false;
  // The record keeps that other blocks read it, and that this one wrote it before the barrier.
  if (half.tick < time_.launch() || other_block) {
    half = {.tick = time_.now(), .cross = other_block && (half.cross || half.has_reader), .init = half.init};
  } else if (half.tick < time_.barrier()) {
    half = {.tick = time_.now(),
            .cross = half.cross,
            .wrote = device && (half.wrote || half.has_writer),
            .init = half.init};
  } else if ((!half.has_writer || half.writer == now.me) &&
             (!half.has_reader || (half.reader == now.me && !half.many)) &&
             (now.access != Access::read || !half.has_writer)) {  // its write's, which others may be ordered behind
    half.tick = time_.now();
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
  return pack(half);
}

}  // namespace assay::simt::checked

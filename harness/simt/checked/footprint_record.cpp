// Hiding pages, and reading cells.
#include "harness/simt/checked/footprint_record.h"

#include <algorithm>
#include <utility>

namespace assay::simt::checked {
namespace {

// Four bytes of a cell, the first in the lowest bit.
struct CellBytes {
  unsigned read = 0, atomic = 0, written = 0;
};

void add_half(CellBytes& bytes, const Half& half, unsigned shift, uint64_t launch) {
  const unsigned both_bytes = 3u << shift;
  // Where bytes were told apart these are what is known for sure.
  const auto unless_known = [&](unsigned known) { return (known & both_bytes) != 0 ? 0u : both_bytes; };
  if (half.tick < launch) return;
  if (half.has_writer && half.atomic && !half.wrote)
    bytes.atomic |= unless_known(bytes.written);
  else if (half.has_writer || half.wrote)
    bytes.written |= unless_known(bytes.written);
  if (half.has_reader || half.cross) bytes.read |= unless_known(bytes.read);
}

void add_cell(CellBytes& bytes, const Cell& cell, uint64_t launch) {
  if (is_half(cell.write) || is_half(cell.read)) {
    if (is_half(cell.write)) add_half(bytes, unpack(cell.write), 0, launch);
    if (is_half(cell.read)) add_half(bytes, unpack(cell.read), 2, launch);
    return;
  }
  if ((cell.write & kSpecial) != 0 || (cell.read & kSpecial) != 0) return;
  if (tick_of(cell.read) >= launch) bytes.read = 0xf;
  if (tick_of(cell.write) >= launch) ((cell.write & kAtomic) != 0 ? bytes.atomic : bytes.written) = 0xf;
}

// A cell with records of whole words.
Touch touch_of(const Cell& cell, uint64_t launch) {
  const Touch read = tick_of(cell.read) >= launch ? Touch::read : Touch::none;
  if (tick_of(cell.write) < launch) return read;
  return both(read, (cell.write & kAtomic) != 0 ? Touch::atomic : Touch::write);
}

Touch touch_of(const CellBytes& bytes, unsigned byte) {
  const auto has = [&](unsigned mask, Touch touch) { return (mask >> byte & 1) != 0 ? touch : Touch::none; };
  return both(both(has(bytes.read, Touch::read), has(bytes.atomic, Touch::atomic)), has(bytes.written, Touch::write));
}

}  // namespace

void FootprintRecord::launch_begins() {
  is_on_ = is_wanted;
  footprint_.clear();
  hidden_.clear();
  bytes_.clear();
  last_page_ = ~uintptr_t{0};
  if (!is_on_) return;
  for (const Placed& placed : arena_.placed()) {
    if (placed.is_heap || placed.buffer.bytes == 0) continue;
    const uintptr_t end = placed.address + placed.buffer.bytes, begin = placed.address & ~(kPageBytes - 1);
    const size_t count = (end - begin + kPageBytes - 1) >> kPageShift;
    hidden_.push_back({begin, arena_.hide_pages(begin, count), placed.address, end});
  }
}

void FootprintRecord::put_back(uintptr_t page) {
  const auto after = std::ranges::upper_bound(hidden_, page, {}, &Hidden::begin);
  if (after == hidden_.begin()) return;
  const Hidden& hidden = *(after - 1);
  const size_t number = (page - hidden.begin) >> kPageShift;
  if (number >= hidden.states.size() || arena_.page(page) == hidden.states[number]) return;
  arena_.show_pages(page, &hidden.states[number], 1);
  accessed_.push_back(page);
}

FootprintRecord::Bytes& FootprintRecord::bytes_of(uintptr_t address) {
  const uintptr_t page = address >> kPageShift;
  if (page != last_page_) {
    auto& found = bytes_[page];
    if (found == nullptr) found = std::make_unique<Bytes>();
    last_page_ = page, last_bytes_ = found.get();
  }
  return *last_bytes_;
}

void FootprintRecord::access_part(const Now& now, const Cell& cell, uint64_t launch) {
  Bytes& bytes = bytes_of(now.cell);
  const size_t at = now.cell % kPageBytes, word = at / 64, shift = at % 64;
  if (!is_half(cell.write)) {  // its records are about to be halves, which have not room for all of them
    CellBytes before;
    add_cell(before, cell, launch);
    bytes.read[word] |= uint64_t{before.read} << shift;
    bytes.written[word] |= uint64_t{before.written} << shift;
  }
  const uint64_t mask = uint64_t{now.mask} << shift;
  if (now.access == Access::read) bytes.read[word] |= mask;
  if (now.access == Access::write) bytes.written[word] |= mask;
}

void FootprintRecord::look_through(uintptr_t page, const Cell* cells, uint64_t launch, uintptr_t begin, uintptr_t end) {
  const auto known = bytes_.find(page >> kPageShift);
  const Bytes* const bytes = known == bytes_.end() ? nullptr : known->second.get();
  for (uintptr_t at = std::max(page, begin & ~uintptr_t{3}); at < std::min(page + kPageBytes, end); at += 4) {
    const size_t offset = at - page;
    const Cell& records = cells[offset / 4];
    if (bytes == nullptr && ((records.write | records.read) & kSpecial) == 0 && at >= begin && at + 4 <= end) {
      append(footprint_, {at, at + 4, touch_of(records, launch)});
      continue;
    }
    CellBytes cell;
    if (bytes != nullptr) {
      cell.read = bytes->read[offset / 64] >> offset % 64 & 0xf;
      cell.written = bytes->written[offset / 64] >> offset % 64 & 0xf;
    }
    add_cell(cell, records, launch);
    const unsigned all = cell.read | cell.atomic | cell.written;
    if (all == 0) continue;
    const auto is_whole = [](unsigned mask) { return mask == 0 || mask == 0xf; };
    if (is_whole(cell.read) && is_whole(cell.atomic) && is_whole(cell.written) && at >= begin && at + 4 <= end) {
      append(footprint_, {at, at + 4, touch_of(cell, 0)});
      continue;
    }
    for (unsigned byte = 0; byte < 4; ++byte)
      if (at + byte >= begin && at + byte < end) append(footprint_, {at + byte, at + byte + 1, touch_of(cell, byte)});
  }
}

void FootprintRecord::launch_ends(uint64_t launch, const std::vector<std::pair<uintptr_t, const Cell*>>& outside) {
  if (!std::exchange(is_on_, false)) return;
  footprint_.reserve(last_size_);  // launches are often alike
  std::ranges::sort(accessed_);
  auto page = accessed_.begin();
  for (const Hidden& hidden : hidden_) {
    arena_.show_pages(hidden.begin, hidden.states.data(), hidden.states.size());
    for (; page != accessed_.end() && *page < hidden.buffer_end; ++page)
      look_through(*page, &arena_.cell(*page), launch, hidden.buffer, hidden.buffer_end);
  }
  accessed_.clear();
  hidden_.clear();
  for (const auto& [begin, cells] : outside) look_through(begin, cells, launch, begin, begin + kPageBytes);
  if (!outside.empty()) std::ranges::sort(footprint_, {}, &Touched::begin);
  last_size_ = footprint_.size();
}

Footprint FootprintRecord::take() { return std::exchange(footprint_, {}); }

}  // namespace assay::simt::checked

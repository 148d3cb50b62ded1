// Bookkeeping; memory and checks are in device_heap_calls.cpp and checked/heap_memory.cpp.
#include "harness/simt/runtime/device_heap.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/simt/checked/source_lines.h"

namespace assay::simt {

DeviceHeap& device_heap() {
  static DeviceHeap heap;
  return heap;
}

std::string words(const HeapBlock::Party& party) {
  const auto text = [](const uint3& i) { return fmt::format("({},{},{})", i.x, i.y, i.z); };
  const std::string line = checked::source_line(party.pc);
  return fmt::format("thread {} of block {} ({})", text(party.thread), text(party.block),
                     line.empty() ? "line unknown" : line);
}

HeapBlock* DeviceHeap::allocate(size_t bytes, const HeapBlock::Party& by, uintptr_t region) {
  if (bytes > kLimit - live_) return nullptr;
  region_ = region;
  const size_t room = std::max(kAlignment, (bytes + kAlignment - 1) & ~(kAlignment - 1));
  HeapBlock block{.address = region_ + used_, .bytes = bytes, .room = room, .made = by, .freed = {}};
  if (used_ + room + kGap <= kRegion) {
    used_ += room + kGap;
  } else {
    const auto old = std::find_if(freed_.begin(), freed_.end(), [&](uintptr_t a) { return blocks_[a].room >= room; });
    if (old == freed_.end()) return nullptr;
    block.address = *old;
    block.room = blocks_[*old].room;
    freed_.erase(old);
  }
  live_ += bytes;
  return &(blocks_[block.address] = block);
}

HeapBlock* DeviceHeap::at(uintptr_t address) {
  const auto found = blocks_.find(address);
  return found == blocks_.end() ? nullptr : &found->second;
}

const HeapBlock* DeviceHeap::nearest(uintptr_t address) const {
  const auto after = blocks_.upper_bound(address);
  return after == blocks_.begin() ? nullptr : &std::prev(after)->second;
}

void DeviceHeap::free(HeapBlock& block, const HeapBlock::Party& by) {
  block.freed = by;
  live_ -= block.bytes;
  freed_.push_back(block.address);
}

void DeviceHeap::reset() { *this = DeviceHeap{}; }

}  // namespace assay::simt

// The device's heap in the checker's memory: which bytes are somebody's, and what is wrong with a free.
#include <algorithm>
#include <cstring>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/ring.h"

namespace assay::simt::checked {

uintptr_t Arena::place_heap() {
  SIMT_CHECK(bytes_ != 0 || reserve(0, 0), "no address space for the memory of checked kernels (ulimit -v)");
  const size_t start = used_ + kGapMin;
  SIMT_CHECK(start + DeviceHeap::kRegion + kGapMin < bytes_,
             "no address space for the device's heap in the checked build (ulimit -v)");
  used_ = start + DeviceHeap::kRegion + kGapMin;
  const Buffer buffer{.name = "heap", .bytes = DeviceHeap::kRegion, .element_bytes = 1, .contents = Contents::fresh};
  return heap_pages_end_ = placed_.emplace_back(Placed{buffer, base_ + start, true}).address;
}

// Blocks are opened in ascending order, until they are used again: each page is closed when the first one comes to it.
void Arena::open_heap_block(const HeapBlock& block) {
  const uintptr_t end = block.address + block.bytes;
  for (; heap_pages_end_ < end; heap_pages_end_ += kPageBytes) {
    pages_[(heap_pages_end_ - base_) >> kPageShift] = Page::fresh;
    std::fill_n(&cell(heap_pages_end_), kPageBytes / 4, Cell{kUnaddressable, kUnaddressable});
  }
  std::fill_n(&cell(block.address), block.bytes / 4, Cell{});
  if (end % 4 != 0) cell(end) = {pack({}), end % 4 == 3 ? pack({}) : kUnaddressable};
  std::memset(reinterpret_cast<void*>(block.address), kPoison, block.bytes);
}

void Arena::close_heap_block(const HeapBlock& block) {
  std::fill_n(&cell(block.address), block.room / 4, Cell{kUnaddressable, kUnaddressable});
}

Monitor::Verdict Monitor::may_in_heap(const Now& now) {
  const HeapBlock* const block = device_heap().nearest(now.address);
  const size_t at = block == nullptr ? 0 : now.address - block->address;
  if (block != nullptr && !block->is_freed() && at < block->bytes && now.bytes <= block->bytes - at)
    return Verdict::watched;
  for (Listener* l : hearing(Event::stray)) l->stray(now, {.heap_block = block});
  return Verdict::stray;
}

// Whoever uses the block without order to the free races with it, as with a write of all of it.
void Monitor::heap_block_freed(const HeapBlock& block, const HeapBlock::Party& by) {
  if (block.bytes != 0)
    check({.address = block.address,
           .bytes = block.bytes,
           .access = Access::write,
           .pc = by.pc,
           .me = linear_index(by.thread, simt::block.block_dim)});
  arena.close_heap_block(block);
}

void Monitor::bad_free(uintptr_t address, const HeapBlock* block, const HeapBlock::Party& by) {
  const Now now{.address = address,
                .bytes = 1,
                .pc = by.pc,
                .me = linear_index(by.thread, simt::block.block_dim),
                .space = space_of(address)};
  for (Listener* l : hearing(Event::freed_wrongly)) l->freed_wrongly(now, block);
}

void Monitor::end_context(Findings& findings) {
  for (Listener* l : hearing(Event::heap_ends)) l->heap_ends(findings);
}

}  // namespace assay::simt::checked

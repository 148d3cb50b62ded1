// The memory of the checked device: buffers far apart in one range of addresses, and their shadow at a fixed place.
//
// Nothing but address space is reserved. Gaps are as large as the buffer before them, 1 MB at least, and are plain
// writable memory, so that a stray access does no harm and the kernel goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/simt/checked/checker.h"
#include "harness/simt/checked/hook_state.h"
#include "harness/simt/runtime/device_heap.h"

namespace assay::simt::checked {

struct Placed {
  Buffer buffer;
  uintptr_t address;
  bool is_heap = false;
};

class Arena {
 public:
  static constexpr size_t kGapMin = size_t{1} << 20;
  static constexpr size_t kBytes = size_t{1} << 36;

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* place(const Buffer& buffer, const void* values);
  // The device's heap (runtime/device_heap.h): addresses that are nobody's until a block of it is opened.
  uintptr_t place_heap();
  void open_heap_block(const HeapBlock& block);
  void close_heap_block(const HeapBlock& block);
  void clear();

  // The buffer that holds the address, else the one nearest to it; nullptr when none is placed.
  const Placed* nearest(uintptr_t address) const;
  bool empty() const { return placed_.empty(); }
  bool holds(uintptr_t address) const { return base_ != 0 && address - base_ < kBytes; }
  Page page(uintptr_t address) const { return pages_[(address - base_) >> kPageShift]; }
  Cell& cell(uintptr_t address) { return cells_[(address - base_) / 4]; }
  void host_wrote(uintptr_t begin, size_t bytes);  // between launches; what is outside the buffer there does not count
  void forget_records();                           // every byte keeps whether it is initialised, and nothing else

  void enter(HookState& state) const;

 private:
  void reserve();
  void mark_end(const Placed& placed);

  uintptr_t base_ = 0;
  Cell* cells_ = nullptr;
  Page* pages_ = nullptr;
  size_t used_ = 0;
  uintptr_t heap_pages_end_ = 0;  // pages of the heap from here on have never been used
  std::vector<Placed> placed_;    // by ascending address
};

}  // namespace assay::simt::checked

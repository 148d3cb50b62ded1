// The memory of the checked device: buffers far apart in one range of addresses, and their shadow at a fixed place.
//
// Nothing but address space is reserved, for the memory and four times as much for its shadow. Gaps are as large as the
// buffer before them, 1 MB at least, and are plain writable memory, so that a stray access does no harm and the kernel
// goes on.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/simt/checked/checker.h"
#include "harness/simt/checked/hook_state.h"
#include "harness/simt/runtime/device_heap.h"

namespace assay::simt::checked {

inline constexpr int kPoison = 0xff;  // the bytes of what has no value yet: a NaN in every float type

struct Placed {
  Buffer buffer;
  uintptr_t address;
  bool is_heap = false;
};

// The kinds of float that some bytes may be.
struct Numbers {
  bool f16 = false, f32 = false, f64 = false;
  bool declared = false;  // and nothing else: their buffer says so

  bool any() const { return f16 || f32 || f64; }
};

class __attribute__((visibility("default"))) Arena {
 public:
  static constexpr size_t kGapMin = size_t{1} << 20;

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Makes sure, while nothing is placed, that buffers of so many bytes together have room. False: the process may not
  // have the addresses.
  bool reserve(size_t buffers, size_t buffer_bytes);
  // The same for these addresses, which an arena of another process had (begin(), bytes()). False: something else is
  // there.
  bool reserve_at(uintptr_t begin, size_t bytes);
  uintptr_t begin() const { return base_; }
  size_t bytes() const { return bytes_; }
  void* place(const Buffer& buffer, const void* values);
  // The next buffer begins at a multiple of this power of two, of a page or more. Some addresses are reserved.
  void align_next(size_t alignment);
  // Where the arena of another process had it, which placed its buffers in ascending order as well.
  void* place_at(uintptr_t address, const Buffer& buffer);
  // The device's heap (runtime/device_heap.h): addresses that are nobody's until a block of it is opened.
  uintptr_t place_heap();
  void open_heap_block(const HeapBlock& block);
  void close_heap_block(const HeapBlock& block);
  void clear();
  void release(uintptr_t buffer);                             // nothing may access it any more
  void place_again(uintptr_t address, const Buffer& buffer);  // where one of its size was released
  void initialise(uintptr_t address, size_t bytes);           // within a buffer; the host has written there
  // The first of these bytes of a buffer that has no value; address + bytes where all have one.
  uintptr_t first_without_value(uintptr_t address, size_t bytes) const { return first_where(false, address, bytes); }
  uintptr_t first_with_value(uintptr_t address, size_t bytes) const { return first_where(true, address, bytes); }

  // The buffer that holds the address, else the one nearest to it; nullptr when none is placed.
  const Placed* nearest(uintptr_t address) const;
  bool empty() const { return placed_.empty(); }
  // The types of numbers that the bytes at this address, in a buffer or not, may hold.
  Numbers numbers_at(uintptr_t address) const;
  bool holds(uintptr_t address) const { return address - base_ < bytes_; }
  Page page(uintptr_t address) const { return pages_[(address - base_) >> kPageShift]; }
  const std::vector<Placed>& placed() const { return placed_; }
  // Lets no hook access so many pages from there on; their states. And the other way.
  std::vector<Page> hide_pages(uintptr_t begin, size_t count);
  void show_pages(uintptr_t begin, const Page* states, size_t count);
  Cell& cell(uintptr_t address) { return cells_[(address - base_) / 4]; }
  void host_wrote(uintptr_t begin, size_t bytes);  // between launches; what is outside the buffer there does not count
  void forget_records();                           // every byte keeps whether it is initialised, and nothing else

  void enter(HookState& state) const;

 private:
  bool map(size_t bytes, uintptr_t wanted);
  void unmap();
  void forget(uintptr_t address, size_t buffer_bytes);
  void fill(const Placed& placed, const void* values);
  uintptr_t first_where(bool has_value, uintptr_t address, size_t bytes) const;
  void mark_begin(const Placed& placed);
  void mark_end(const Placed& placed);

  uintptr_t base_ = 0;
  size_t bytes_ = 0;
  Cell* cells_ = nullptr;
  Page* pages_ = nullptr;
  size_t used_ = 0;
  uintptr_t heap_pages_end_ = 0;  // pages of the heap from here on have never been used
  std::vector<Placed> placed_;    // by ascending address
};

}  // namespace assay::simt::checked

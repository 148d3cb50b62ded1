// The device's heap: what kernels get from malloc and new, and give back by free and delete.
//
// The build renames these calls in kernel modules (build/finish/redirect.cpp), because the same file's host code makes
// them too: a call on a thread of a kernel comes here, any other goes to the C library. Allocations last as long as the
// outermost ContextScope. As on a GPU, malloc returns nullptr when the limit of cudaLimitMallocHeapSize's default is
// reached. Freed memory is given out again only when there is no other, so that a late access is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "harness/simt/include/simt/vector_types.h"

namespace assay::simt {

struct HeapBlock {
  // The thread that called, and its return address.
  struct Party {
    const void* pc = nullptr;
    uint3 block{}, thread{};
  };
  uintptr_t address = 0;
  size_t bytes = 0;
  size_t room = 0;  // up to the gap behind it
  Party made, freed;
  bool is_freed() const { return freed.pc != nullptr; }
};

class __attribute__((visibility("default"))) DeviceHeap {
 public:
  static constexpr size_t kLimit = size_t{8} << 20;    // of all that is allocated at one time
  static constexpr size_t kRegion = size_t{64} << 20;  // of addresses
  static constexpr size_t kAlignment = 16, kGap = 64;

  // nullptr when the limit or the region is used up. `region` is where the heap lies; it stays there until reset().
  HeapBlock* allocate(size_t bytes, const HeapBlock::Party& by, uintptr_t region);
  HeapBlock* at(uintptr_t address);                   // that begins there; nullptr: there is none
  const HeapBlock* nearest(uintptr_t address) const;  // that holds the address, or the last one before it
  void free(HeapBlock& block, const HeapBlock::Party& by);
  void reset();

  uintptr_t region() const { return region_; }  // 0: nothing has been allocated
  bool holds(uintptr_t address) const { return region_ != 0 && address - region_ < kRegion; }
  const std::map<uintptr_t, HeapBlock>& blocks() const { return blocks_; }

 private:
  uintptr_t region_ = 0;
  size_t used_ = 0, live_ = 0;
  std::map<uintptr_t, HeapBlock> blocks_;
  std::deque<uintptr_t> freed_;  // oldest first
};

DeviceHeap& device_heap();
std::string words(const HeapBlock::Party& party);  // "thread (1,0,0) of block (0,0,0) (f.cu:12)"

}  // namespace assay::simt

// Tests the limit of the device's heap, and when it gives memory out again.
#include "harness/simt/runtime/device_heap.h"

#include <gtest/gtest.h>

namespace assay::simt {
namespace {

constexpr uintptr_t kRegion = 1 << 20;

TEST(DeviceHeap, RefusesWhatExceedsItsLimit) {
  DeviceHeap heap;
  HeapBlock* const most = heap.allocate(DeviceHeap::kLimit - 100, {}, kRegion);
  ASSERT_NE(most, nullptr);
  EXPECT_EQ(heap.allocate(101, {}, kRegion), nullptr);
  EXPECT_NE(heap.allocate(100, {}, kRegion), nullptr);
  heap.free(*most, {.pc = &heap});
  EXPECT_NE(heap.allocate(101, {}, kRegion), nullptr);
  EXPECT_EQ(heap.allocate(~size_t{0}, {}, kRegion), nullptr);
}

TEST(DeviceHeap, KeepsBlocksApartAndAligned) {
  DeviceHeap heap;
  const HeapBlock first = *heap.allocate(1, {}, kRegion), second = *heap.allocate(100, {}, kRegion);
  EXPECT_EQ(second.address % DeviceHeap::kAlignment, 0u);
  EXPECT_GE(second.address, first.address + first.bytes + DeviceHeap::kGap);
  EXPECT_EQ(heap.nearest(second.address - 1)->address, first.address);
  EXPECT_EQ(heap.nearest(second.address + 99)->address, second.address);
  EXPECT_EQ(heap.nearest(kRegion - 1), nullptr);
}

TEST(DeviceHeap, GivesTheOldestFreedBlockOutAgainWhenItsRegionIsUsedUp) {
  DeviceHeap heap;
  constexpr size_t kBytes = size_t{1} << 20;
  const HeapBlock first = *heap.allocate(kBytes, {}, kRegion);
  const HeapBlock::Party by{.pc = &heap};
  heap.free(*heap.at(first.address), by);
  uintptr_t last = first.address;
  while (true) {
    HeapBlock* const next = heap.allocate(kBytes, {}, kRegion);
    ASSERT_NE(next, nullptr);
    if (next->address < last) break;
    last = next->address;
    heap.free(*next, by);
  }
  EXPECT_FALSE(heap.at(first.address)->is_freed());
  EXPECT_GT(last, kRegion + DeviceHeap::kRegion - 2 * kBytes);
}

}  // namespace
}  // namespace assay::simt

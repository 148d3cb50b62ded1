// Accesses in a lock before the fence of its holder: after the compare-and-swap, with no fence in between.
//
// A thread that comes to a lock second shows by itself that its fence is missing: it has learnt nothing (clocks.h). The
// one that came first shows nothing, because there was nothing to learn; under another schedule it would have come
// second. So it is remembered when it took the lock and when it fenced, and whoever holds the same lock later asks.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "harness/simt/include/simt/checked_calls.h"

namespace assay::simt::checked {

class UnfencedLocks {
 public:
  void begin_launch();
  void begin_block(uint64_t tick);
  void barrier_complete();  // what one thread holds, its whole block holds
  void compare_and_swap(uint32_t thread, uintptr_t address, uint64_t tick);
  void fence(uint32_t thread, Scope scope, uint64_t tick);  // or an atomic that acquires
  void other_atomic(uint32_t thread, uintptr_t address);    // which gives the lock back

  // Whether what `other` did at `tick` lies between its taking of a lock, which `me` holds too, and its fence.
  bool came_before_a_fence(uint32_t me, uint64_t tick, uint32_t other) const;

 private:
  static constexpr uint64_t kNever = ~uint64_t{0};
  struct Holding {
    uintptr_t address = 0;
    uint64_t block = 0;  // by the tick at which the block began
    uint32_t thread = 0;
    bool whole_block = false;
    uint64_t taken = 0, fenced_in_block = kNever, fenced = kNever;
  };
  // The last that were given back, for each lock.
  struct Past {
    std::array<Holding, 4> holdings{};
    uint32_t count = 0;
  };

  const Holding* held_by(uint32_t thread) const;

  uint64_t block_ = 0;
  std::unordered_map<uint32_t, Holding> held_;  // by thread, of this block
  std::unordered_map<uintptr_t, Past> past_;    // by address
};

}  // namespace assay::simt::checked

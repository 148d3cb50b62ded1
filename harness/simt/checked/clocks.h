// The order of two accesses by other means than barriers: warp operations, and fences with atomics.
//
// A lane that has met others in a warp operation knows what they did before it. A thread that reads an atomic knows
// what those who changed it before had done before *their last fence*, they and the lanes they had met; without a fence
// it learns nothing, as on a GPU. Fences and atomics of a block order within the block alone.
// The other side should have a fence behind its atomic, too. What a compare-and-swap has learnt counts from that fence
// on. What another atomic has learnt counts at once, because a flag or a count that is read without one is common, and
// in NVIDIA's own samples; but it is remembered what rests on that (rests_on()).
// Knowledge is a graph of nodes that never change: "thread a up to tick t, its whole block up to its barrier at tick
// b", and the nodes that thread knew itself. Kernels without fences make no node at all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/simt/include/simt/checked_calls.h"

namespace assay::simt::checked {

class Clocks {
 public:
  void begin_launch();
  void begin_block(uint64_t tick);
  void barrier_complete(uint64_t tick);
  // The lanes of a mask have met; `all`: they are every living lane of the warp.
  void warp_complete(uint32_t warp, uint32_t lanes, bool all, uint64_t tick);
  void fence(uint32_t thread, Scope scope, uint64_t tick);
  void acquire(uint32_t thread, Scope scope);  // what its atomics have learnt counts from now on
  // The tick of the last fence whose past it publishes; 0: nobody has fenced. `takes`: what it learns does not count
  // before a fence.
  uint64_t atomic(uint32_t thread, uintptr_t address, Scope scope, bool takes);

  // Whether what `other` did at `tick`, in this block or another, came before `me` by one of these means.
  bool lanes_met(uint32_t me, uint32_t other, uint64_t tick) const;
  bool knows(uint32_t me, uint64_t tick, uint32_t other);
  // Likewise for several threads, of which the first and the time of the last are known: whether `me` was told
  // something after that time, and something by the first in this block. Another of them may still be unheard of.
  bool may_know_many(uint32_t me, uint64_t last_tick, uint32_t first);
  bool knows_anything(uint32_t me) const { return learnt(me) != 0; }
  // Whether it would, had there been a fence behind an atomic.
  bool knows_without_fence(uint32_t me, uint64_t tick, uint32_t other);
  // The address of the atomic, with no fence behind it, by which alone it knows; 0: there is none.
  uintptr_t rests_on(uint32_t me, uint64_t tick, uint32_t other);

 private:
  struct Node {
    // Ticks: [block, barrier) of all threads, [block, warp_until) of the warp of one, [block, until) of that one.
    uint64_t block = 0, barrier = 0, warp_until = 0, until = 0;
    uint32_t thread = 0;
    uint32_t parents[2] = {0, 0};
  };
  // By fences of the device, and by those of the block as well.
  struct Released {
    uint32_t to_device = 0, to_block = 0;
  };
  struct Heard {
    uint32_t of_device = 0, of_block = 0;
  };
  struct Thread {
    uint64_t block = 0;  // the block whose state this is
    uint32_t learnt = 0;
    Released released;
    uint64_t fenced = 0;  // the tick of its last fence
    Heard pending;        // what counts from a fence on
  };
  struct Published {
    uint32_t to_device = 0, to_block = 0;
    uint64_t block = 0;  // the block that `to_block` is of
  };
  // Knowledge from an atomic without a fence behind it.
  struct Unfenced {
    uintptr_t address;
    uint32_t thread;
    uint32_t before, after;  // nodes
    bool whole_block;        // a barrier has handed it on
  };
  static constexpr uint32_t kThreads = 1024;
  static constexpr size_t kNodesMax = size_t{1} << 22;
  static constexpr size_t kUnfencedMax = 64;

  Thread& state(uint32_t thread);
  uint32_t learnt(uint32_t thread) const;
  uint32_t join(uint32_t a, uint32_t b);
  bool has(uint32_t known, uint32_t node) const;  // as one of the last that it was joined from
  void add_to(uint32_t& known, uint32_t node);
  void learn(uint32_t thread, uint32_t node);
  void hear(uint32_t thread, uintptr_t address, uint32_t node, uint32_t* pending);
  bool reaches(uint32_t start, uint64_t tick, uint32_t other);
  // Whether `is_wanted` holds for a node that can be reached from another.
  template <class Wanted>
  bool any_reached(uint32_t start, Wanted is_wanted);
  uint32_t with_lanes_met(uint32_t known, uint32_t thread);  // what those did that it met without the whole warp
  uint32_t add(const Node& node);

  uint64_t block_ = 0, barrier_ = 0;
  std::vector<Node> nodes_;  // the first stands for nothing
  std::vector<uint32_t> seen_, open_;
  uint32_t search_ = 0;
  std::array<Thread, kThreads> threads_{};
  std::vector<uint32_t> learners_, fencers_, hearers_;  // threads that did so since the last barrier
  uint32_t block_learnt_ = 0;
  Released block_released_;
  uint64_t block_fenced_ = 0;
  Heard block_pending_;
  std::vector<Unfenced> unfenced_;
  std::unordered_map<uintptr_t, Published> published_;  // by the address of the atomic
  std::array<uint64_t, kThreads / 32> warp_met_{};      // when all lanes of the warp last met
  struct Met {
    uint64_t block = 0;
    std::array<uint64_t, 32> until{};
  };
  std::array<Met, kThreads> met_{};  // for masks that are not the whole warp
};

}  // namespace assay::simt::checked

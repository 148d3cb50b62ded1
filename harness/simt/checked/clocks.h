// The order of two accesses by other means than barriers: warp operations, and fences with atomics.
//
// A lane that has met others in a warp operation knows what they did before it. A thread that reads an atomic knows
// what those who changed it before had done before *their last fence*, they and the lanes they had met; without a fence
// it learns nothing, as on a GPU.
// Knowledge is a graph of nodes that never change: "thread a up to tick t, its whole block up to its barrier at tick
// b", and the nodes that thread knew itself. Kernels without fences make no node at all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace assay::simt::checked {

class Clocks {
 public:
  void begin_launch();
  void begin_block(uint64_t tick);
  void barrier_complete(uint64_t tick);
  // The lanes of a mask have met; `all`: they are every living lane of the warp.
  void warp_complete(uint32_t warp, uint32_t lanes, bool all, uint64_t tick);
  void fence(uint32_t thread, uint64_t tick);
  void atomic(uint32_t thread, uintptr_t address);

  // Whether what `other` did at `tick`, in this block or another, came before `me` by one of these means.
  bool lanes_met(uint32_t me, uint32_t other, uint64_t tick) const;
  bool knows(uint32_t me, uint64_t tick, uint32_t other);
  bool knows_anything(uint32_t me) const { return learnt(me) != 0; }

 private:
  struct Node {
    // Ticks: [block, barrier) of all threads, [block, warp_until) of the warp of one, [block, until) of that one.
    uint64_t block = 0, barrier = 0, warp_until = 0, until = 0;
    uint32_t thread = 0;
    uint32_t parents[2] = {0, 0};
  };
  struct Thread {
    uint64_t block = 0;  // the block whose state this is
    uint32_t learnt = 0, released = 0;
  };
  static constexpr uint32_t kThreads = 1024;
  static constexpr size_t kNodesMax = size_t{1} << 22;

  Thread& state(uint32_t thread);
  uint32_t learnt(uint32_t thread) const;
  uint32_t join(uint32_t a, uint32_t b);
  uint32_t with_lanes_met(uint32_t known, uint32_t thread);  // what those did that it met without the whole warp
  uint32_t add(const Node& node);

  uint64_t block_ = 0, barrier_ = 0;
  std::vector<Node> nodes_;  // the first stands for nothing
  std::vector<uint32_t> seen_, pending_;
  uint32_t search_ = 0;
  std::array<Thread, kThreads> threads_{};
  std::vector<uint32_t> learners_, fencers_;  // threads that learnt or fenced since the last barrier
  uint32_t block_learnt_ = 0, block_released_ = 0;
  std::unordered_map<uintptr_t, uint32_t> published_;  // by the address of the atomic
  std::array<uint64_t, kThreads / 32> warp_met_{};     // when all lanes of the warp last met
  struct Met {
    uint64_t block = 0;
    std::array<uint64_t, 32> until{};
  };
  std::array<Met, kThreads> met_{};  // for masks that are not the whole warp
};

}  // namespace assay::simt::checked

// The time of a launch, counted in synchronisations ("ticks", shadow.h), and which block ran when.
//
// The hooks of modules read the same times, shifted to where records have them, so every change is written there too.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/simt/checked/hook_state.h"

namespace assay::simt::checked {

class Timeline {
 public:
  uint64_t now() const { return now_; }
  uint64_t barrier() const { return barrier_; }  // when the block's last barrier, its begin and the launch's begin were
  uint64_t block() const { return block_; }
  uint64_t launch() const { return launch_; }
  uint64_t block_number() const { return block_number_; }

  // Later than `last`, the latest of another timeline over the same shared memory.
  void begin_launch(uint64_t last) {
    now_ = std::max(now_, last) + 1;
    launch_ = now_;
    block_begins_.clear();
  }

  void begin_block(uint64_t number) {
    block_number_ = number;
    block_ = barrier_ = now_;
    block_begins_.emplace_back(now_, number);
    write_to_hooks();
  }

  void pass_barrier() {
    barrier_ = now_;
    hook_state.barrier = barrier_ << kTickShift;
  }

  // Lanes of a warp have met now; `all`: every living one.
  void meet(uint32_t warp, uint32_t lanes, bool all) {
    if (all) warp_met_[warp] = now_;
    for (uint32_t lane = 0; !all && lane < 32; ++lane)
      if ((lanes >> lane & 1) != 0) lanes_met_[warp * 32 + lane] = {now_, lanes};
  }

  // Whether two threads of a warp have met since, so that all of what the other's warp did at that time came before
  // `me`. Where a part of the warp has met, others than `other` may have been left out.
  bool have_met_since(uint32_t me, uint32_t other, uint64_t tick) const {
    if (me / 32 != other / 32) return false;
    const Meeting& last = lanes_met_[me];
    return tick < warp_met_[me / 32] || (tick < last.tick && (last.lanes >> other % 32 & 1) != 0);
  }

  bool advance() {  // false: ticks are used up
    ++now_;
    hook_state.now = now_ << kTickShift;
    return now_ < kTickMax;
  }

  void restart() {
    now_ = launch_ = barrier_ = 2;  // 1 is the tick of everything older
    block_ = 1;
    block_begins_.assign(1, {block_, block_number_});
    warp_met_ = {};
    lanes_met_ = {};
    write_to_hooks();
  }

  // The block that ran at that time of this launch.
  uint64_t block_at(uint64_t tick) const {
    const auto after = std::upper_bound(block_begins_.begin(), block_begins_.end(), tick,
                                        [](uint64_t t, const auto& begin) { return t < begin.first; });
    return after == block_begins_.begin() ? 0 : (after - 1)->second;
  }

 private:
  void write_to_hooks() const {
    hook_state.now = now_ << kTickShift;
    hook_state.barrier = barrier_ << kTickShift;
    hook_state.block = block_ << kTickShift;
    hook_state.launch = launch_ << kTickShift;
  }

  struct Meeting {
    uint64_t tick = 0;
    uint32_t lanes = 0;
  };

  uint64_t now_ = 1, barrier_ = 0, block_ = 0, launch_ = 0;
  uint64_t block_number_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> block_begins_;  // tick and block, of this launch
  std::array<uint64_t, 32> warp_met_{};                      // by warp; times of blocks that are over are of no use
  std::array<Meeting, 1024> lanes_met_{};                    // by thread: the last meeting of a part of its warp
};

}  // namespace assay::simt::checked

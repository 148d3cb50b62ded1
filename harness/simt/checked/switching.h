// Switches between threads in the middle of a barrier interval, as a nonzero schedule has them: seeded, so that the
// same schedule switches at the same accesses again.
//
// Races do not need this, they are found in any order. Values and control flow that go wrong only when a thread stops
// between two lines do. A switched thread waits like one that spins, until every other has come as far as it can; that
// is dear, so a launch does it a few thousand times at most, spread over its blocks.
#pragma once

#include <cstdint>

#include "harness/simt/include/simt/rng.h"

namespace assay::simt::checked {

class Switching {
 public:
  void begin_launch(uint64_t schedule, uint64_t blocks) {
    schedule_ = schedule;
    blocks_ = blocks;
  }

  // How many accesses the first switch of the block is away.
  uint32_t begin_block(uint64_t number) {
    rng_ = Rng(Rng::mix(schedule_ + 1) ^ Rng::mix(~number));
    left_ = schedule_ != 0 && (blocks_ <= kBlocks || rng_.below(blocks_) < kBlocks) ? kPerBlock : 0;
    distance_ = uint64_t{1} << rng_.below(10);
    return next();
  }

  // Whether to switch now; `until` becomes the distance of the next one.
  bool now(uint32_t& until) {
    const bool yes = left_ > 0;
    if (yes) --left_;
    until = next();
    return yes;
  }

 private:
  static constexpr uint64_t kBlocks = 128;
  static constexpr int kPerBlock = 16;

  uint32_t next() { return left_ > 0 ? static_cast<uint32_t>(1 + rng_.below(2 * distance_)) : ~uint32_t{0}; }

  Rng rng_{0};
  uint64_t schedule_ = 0, blocks_ = 0, distance_ = 1;
  int left_ = 0;
};

}  // namespace assay::simt::checked

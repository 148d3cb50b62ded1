// CUDA's cooperative groups as far as one block goes: the block, tiles of its threads, and lanes that have come
// together.
//
// Lanes of a warp are a mask to the executor, so they need not stay together. coalesced_threads() is the lanes that
// have come to that place when no lane of the warp can go on otherwise. Groups of a grid need a cooperative launch,
// which only programs have (harness/cxx/include/grid_group.h).
#pragma once

#include "harness/simt/include/simt/block_tile.h"
#include "harness/simt/include/simt/coalesced_group.h"
#include "harness/simt/include/simt/warp_tile.h"

namespace cooperative_groups {

class grid_group;
template <bool there_is = false>
grid_group& this_grid() {
  static_assert(there_is, "this_grid() needs a cooperative launch, which the executor does not have");
  __builtin_unreachable();
}

// A group whose kind is known when the kernel runs only: a block, or lanes of a warp.
class thread_group {
 public:
  ASSAY_SIMT_INLINE thread_group(const thread_block&) {}
  template <unsigned N, class Parent>
  ASSAY_SIMT_INLINE thread_group(const thread_block_tile<N, Parent>&) : lanes_(thread_block_tile<N, Parent>::mask()) {}
  ASSAY_SIMT_INLINE thread_group(const coalesced_group& lanes) : lanes_(lanes.mask()) {}

  ASSAY_SIMT_INLINE unsigned num_threads() const {
    return lanes_ != 0 ? static_cast<unsigned>(__popc(lanes_)) : this_thread_block().num_threads();
  }
  ASSAY_SIMT_INLINE unsigned size() const { return num_threads(); }
  ASSAY_SIMT_INLINE unsigned thread_rank() const {
    return lanes_ != 0 ? ::assay::simt::rank_in(lanes_) : this_thread_block().thread_rank();
  }
  ASSAY_SIMT_INLINE void sync(unsigned line = __builtin_LINE()) const {
    if (lanes_ == 0)
      __syncthreads(line);
    else
      __syncwarp(lanes_);
  }

 private:
  friend thread_group tiled_partition(const thread_group& group, unsigned threads);

  unsigned lanes_ = 0;  // 0: the block
};
// Parts of a size that is a power of two, at most 32.
ASSAY_SIMT_INLINE thread_group tiled_partition(const thread_group& group, unsigned threads) {
  thread_group part = group;
  const unsigned all = group.lanes_ != 0 ? group.lanes_ : ~0u;
  part.lanes_ = ::assay::simt::part_of(all, threads);
  return part;
}
ASSAY_SIMT_INLINE void sync(const thread_group& group, unsigned line = __builtin_LINE()) { group.sync(line); }

}  // namespace cooperative_groups

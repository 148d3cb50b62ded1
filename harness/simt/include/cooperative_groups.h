// CUDA's cooperative groups as far as one block goes: the block, tiles of its threads, and lanes that have come
// together.
//
// Lanes of a warp are a mask to the executor, so they need not stay together. coalesced_threads() is the lanes that
// have come to that place when no lane of the warp can go on otherwise. Groups of a grid need a cooperative launch,
// which only programs have (harness/cxx/include/grid_group.h).
#pragma once

#include "harness/simt/include/prelude.h"
#include "harness/simt/include/simt/lane_group.h"

namespace cooperative_groups {

class thread_block {
 public:
  ASSAY_SIMT_INLINE static void sync(unsigned line = __builtin_LINE()) { __syncthreads(line); }
  ASSAY_SIMT_INLINE static unsigned thread_rank() {
    const auto& t = threadIdx;
    const auto& dim = blockDim;
    return t.x + dim.x * (t.y + dim.y * t.z);
  }
  ASSAY_SIMT_INLINE static unsigned num_threads() {
    const auto& dim = blockDim;
    return dim.x * dim.y * dim.z;
  }
  ASSAY_SIMT_INLINE static unsigned size() { return num_threads(); }
  ASSAY_SIMT_INLINE static dim3 group_index() { return blockIdx; }
  ASSAY_SIMT_INLINE static dim3 thread_index() { return threadIdx; }
  ASSAY_SIMT_INLINE static dim3 dim_threads() { return blockDim; }
  ASSAY_SIMT_INLINE static dim3 group_dim() { return blockDim; }
};

ASSAY_SIMT_INLINE thread_block this_thread_block() { return {}; }

// N lanes that lie together, the first at a multiple of N. Ranks and the bits of masks count from that lane.
template <unsigned N, class Parent = void>
class thread_block_tile {
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile has a power of two of threads, 512 at most");

 public:
  ASSAY_SIMT_INLINE thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}
  template <class OtherParent>
  ASSAY_SIMT_INLINE thread_block_tile(const thread_block_tile<N, OtherParent>& other)
      : thread_block_tile(other.meta_group_rank(), other.meta_group_size()) {}

  ASSAY_SIMT_INLINE void sync() const { __syncwarp(mask()); }
  ASSAY_SIMT_INLINE unsigned thread_rank() const { return ::assay::simt::lane_id() & (N - 1); }
  static constexpr unsigned num_threads() { return N; }
  static constexpr unsigned size() { return N; }
  // Which of the parent's tiles this is, and how many the parent has.
  ASSAY_SIMT_INLINE unsigned meta_group_rank() const { return meta_rank_; }
  ASSAY_SIMT_INLINE unsigned meta_group_size() const { return meta_size_; }

  template <class T>
  ASSAY_SIMT_INLINE T shfl(T value, int rank) const {
    const unsigned to = static_cast<unsigned>(rank) & (N - 1);
    return ::assay::simt::shuffle_words(mask(), value, first_lane() + to);
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_up(T value, int delta) const {
    const unsigned rank = thread_rank(), by = static_cast<unsigned>(delta);
    return ::assay::simt::shuffle_words(mask(), value, first_lane() + (rank < by ? rank : rank - by));
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_down(T value, int delta) const {
    const unsigned rank = thread_rank(), by = static_cast<unsigned>(delta);
    return ::assay::simt::shuffle_words(mask(), value, first_lane() + (rank + by >= N ? rank : rank + by));
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_xor(T value, int lane_mask) const {
    const unsigned rank = thread_rank(), other = rank ^ static_cast<unsigned>(lane_mask);
    return ::assay::simt::shuffle_words(mask(), value, first_lane() + (other < N ? other : rank));
  }
  ASSAY_SIMT_INLINE int any(int predicate) const { return __any_sync(mask(), predicate); }
  ASSAY_SIMT_INLINE int all(int predicate) const { return __all_sync(mask(), predicate); }
  ASSAY_SIMT_INLINE unsigned ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first_lane(); }
  template <class T>
  ASSAY_SIMT_INLINE unsigned match_any(T value) const {
    return __match_any_sync(mask(), value) >> first_lane();
  }
  template <class T>
  ASSAY_SIMT_INLINE unsigned match_all(T value, int& all_equal) const {
    return __match_all_sync(mask(), value, &all_equal) >> first_lane();
  }

  // The lanes of the tile.
  ASSAY_SIMT_INLINE static unsigned mask() { return (~0u >> (32 - N)) << first_lane(); }

 private:
  ASSAY_SIMT_INLINE static unsigned first_lane() { return ::assay::simt::lane_id() & ~(N - 1); }

  unsigned meta_rank_, meta_size_;
};

template <unsigned N>
ASSAY_SIMT_INLINE thread_block_tile<N, thread_block> tiled_partition(const thread_block& group) {
  return {group.thread_rank() / N, (group.num_threads() + N - 1) / N};
}
template <unsigned N, unsigned M, class Parent>
ASSAY_SIMT_INLINE thread_block_tile<N, thread_block_tile<M, Parent>> tiled_partition(
    const thread_block_tile<M, Parent>& group) {
  static_assert(N <= M, "a part is no larger than the whole");
  return {group.thread_rank() / N, M / N};
}

ASSAY_SIMT_INLINE void sync(const thread_block& group, unsigned line = __builtin_LINE()) { group.sync(line); }
template <unsigned N, class Parent>
ASSAY_SIMT_INLINE void sync(const thread_block_tile<N, Parent>& group) {
  group.sync();
}

}  // namespace cooperative_groups

#include "harness/simt/include/simt/block_tile.h"
#include "harness/simt/include/simt/coalesced_group.h"

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

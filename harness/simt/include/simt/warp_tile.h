// The block, and tiles of its threads that lie within a warp, as groups. Part of cooperative_groups.h.
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

// CUDA's cooperative groups as far as one block goes: the block, and tiles of its warps with their shuffles and votes.
//
// A tile of N lanes is a mask to the executor, so tiles of one warp need not stay together. coalesced_threads() is the
// smallest group that CUDA allows, the calling thread: which lanes took a branch together only hardware knows. Groups
// of a grid need a cooperative launch, which the executor does not have.
#pragma once

#include "harness/simt/include/prelude.h"

namespace cooperative_groups {

class thread_block {
 public:
  ASSAY_SIMT_INLINE void sync(unsigned line = __builtin_LINE()) const { __syncthreads(line); }
  ASSAY_SIMT_INLINE unsigned thread_rank() const {
    const auto& t = threadIdx;
    const auto& dim = blockDim;
    return t.x + dim.x * (t.y + dim.y * t.z);
  }
  ASSAY_SIMT_INLINE unsigned num_threads() const {
    const auto& dim = blockDim;
    return dim.x * dim.y * dim.z;
  }
  ASSAY_SIMT_INLINE unsigned size() const { return num_threads(); }
  ASSAY_SIMT_INLINE dim3 group_index() const { return blockIdx; }
  ASSAY_SIMT_INLINE dim3 thread_index() const { return threadIdx; }
  ASSAY_SIMT_INLINE dim3 dim_threads() const { return blockDim; }
  ASSAY_SIMT_INLINE dim3 group_dim() const { return blockDim; }
};

ASSAY_SIMT_INLINE thread_block this_thread_block() { return {}; }

// N lanes that lie together, the first at a multiple of N. Ranks and the bits of masks count from that lane.
template <unsigned N, class Parent = void>
class thread_block_tile {
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

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
    return __shfl_sync(mask(), value, rank, N);
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_up(T value, int delta) const {
    return __shfl_up_sync(mask(), value, static_cast<unsigned>(delta), N);
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_down(T value, int delta) const {
    return __shfl_down_sync(mask(), value, static_cast<unsigned>(delta), N);
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_xor(T value, int lane_mask) const {
    return __shfl_xor_sync(mask(), value, lane_mask, N);
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

 private:
  ASSAY_SIMT_INLINE static unsigned first_lane() { return ::assay::simt::lane_id() & ~(N - 1); }
  ASSAY_SIMT_INLINE static unsigned mask() { return (~0u >> (32 - N)) << first_lane(); }

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

class grid_group;
template <bool there_is = false>
grid_group& this_grid() {
  static_assert(there_is, "this_grid() needs a cooperative launch, which the executor does not have");
  __builtin_unreachable();
}

// One thread by itself.
class coalesced_group {
 public:
  ASSAY_SIMT_INLINE void sync() const {}
  static constexpr unsigned thread_rank() { return 0; }
  static constexpr unsigned num_threads() { return 1; }
  static constexpr unsigned size() { return 1; }
  static constexpr unsigned meta_group_rank() { return 0; }
  static constexpr unsigned meta_group_size() { return 1; }
  template <class T>
  ASSAY_SIMT_INLINE T shfl(T value, int) const {
    return value;
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_up(T value, int) const {
    return value;
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_down(T value, int) const {
    return value;
  }
  ASSAY_SIMT_INLINE int any(int predicate) const { return predicate != 0; }
  ASSAY_SIMT_INLINE int all(int predicate) const { return predicate != 0; }
  ASSAY_SIMT_INLINE unsigned ballot(int predicate) const { return predicate != 0; }
  template <class T>
  ASSAY_SIMT_INLINE unsigned match_any(T) const {
    return 1;
  }
  template <class T>
  ASSAY_SIMT_INLINE unsigned match_all(T, int& all_equal) const {
    all_equal = 1;
    return 1;
  }
};
ASSAY_SIMT_INLINE coalesced_group coalesced_threads() { return {}; }

// A group whose kind is known when the kernel runs only: a block, lanes of a warp that lie together, or one thread.
class thread_group {
 public:
  ASSAY_SIMT_INLINE thread_group(const thread_block& block) : threads_(block.num_threads()), is_block_(true) {}
  template <unsigned N, class Parent>
  ASSAY_SIMT_INLINE thread_group(const thread_block_tile<N, Parent>&) : threads_(N) {}
  ASSAY_SIMT_INLINE thread_group(const coalesced_group&) : threads_(1) {}

  ASSAY_SIMT_INLINE unsigned num_threads() const { return threads_; }
  ASSAY_SIMT_INLINE unsigned size() const { return threads_; }
  ASSAY_SIMT_INLINE unsigned thread_rank() const {
    const unsigned rank = this_thread_block().thread_rank();
    return is_block_ ? rank : rank % threads_;
  }
  ASSAY_SIMT_INLINE void sync(unsigned line = __builtin_LINE()) const {
    if (is_block_)
      __syncthreads(line);
    else
      __syncwarp((~0u >> (32 - threads_)) << (::assay::simt::lane_id() & ~(threads_ - 1)));
  }

 private:
  friend thread_group tiled_partition(const thread_group& group, unsigned threads);
  ASSAY_SIMT_INLINE explicit thread_group(unsigned threads) : threads_(threads) {}

  unsigned threads_;
  bool is_block_ = false;
};
// Parts of a size that is a power of two, at most 32.
ASSAY_SIMT_INLINE thread_group tiled_partition(const thread_group&, unsigned threads) { return thread_group(threads); }
ASSAY_SIMT_INLINE void sync(const thread_group& group, unsigned line = __builtin_LINE()) { group.sync(line); }

}  // namespace cooperative_groups

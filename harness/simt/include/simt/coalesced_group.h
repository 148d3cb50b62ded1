// Lanes of a warp that a branch, a predicate or a label has brought together. Part of cooperative_groups.h.
#pragma once

#include "harness/simt/include/simt/warp_tile.h"

namespace cooperative_groups {

// Ranks count the group's lanes from the lowest.
class coalesced_group {
 public:
  ASSAY_SIMT_INLINE explicit coalesced_group(unsigned lanes, unsigned meta_rank = 0, unsigned meta_size = 1)
      : lanes_(lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}

  ASSAY_SIMT_INLINE void sync() const { __syncwarp(lanes_); }
  ASSAY_SIMT_INLINE unsigned thread_rank() const { return ::assay::simt::rank_in(lanes_); }
  ASSAY_SIMT_INLINE unsigned num_threads() const { return static_cast<unsigned>(__builtin_popcount(lanes_)); }
  ASSAY_SIMT_INLINE unsigned size() const { return num_threads(); }
  // Which part of its parent this is, and how many there are; 0 and 1 where there is no parent.
  ASSAY_SIMT_INLINE unsigned meta_group_rank() const { return meta_rank_; }
  ASSAY_SIMT_INLINE unsigned meta_group_size() const { return meta_size_; }
  ASSAY_SIMT_INLINE unsigned mask() const { return lanes_; }

  template <class T>
  ASSAY_SIMT_INLINE T shfl(T value, unsigned rank) const {
    return ::assay::simt::shuffle_words(lanes_, value, ::assay::simt::lane_of_rank(lanes_, rank));
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank < delta ? rank : rank - delta);
  }
  template <class T>
  ASSAY_SIMT_INLINE T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank + delta < num_threads() ? rank + delta : rank);
  }
  ASSAY_SIMT_INLINE int any(int predicate) const { return __any_sync(lanes_, predicate); }
  ASSAY_SIMT_INLINE int all(int predicate) const { return __all_sync(lanes_, predicate); }
  ASSAY_SIMT_INLINE unsigned ballot(int predicate) const {
    return ::assay::simt::by_rank(lanes_, __ballot_sync(lanes_, predicate));
  }
  template <class T>
  ASSAY_SIMT_INLINE unsigned match_any(T value) const {
    return ::assay::simt::by_rank(lanes_, __match_any_sync(lanes_, value));
  }
  template <class T>
  ASSAY_SIMT_INLINE unsigned match_all(T value, int& all_equal) const {
    return ::assay::simt::by_rank(lanes_, __match_all_sync(lanes_, value, &all_equal));
  }

 private:
  unsigned lanes_, meta_rank_, meta_size_;
};

ASSAY_SIMT_INLINE coalesced_group coalesced_threads() { return coalesced_group(::assay::simt::converged_lanes()); }
ASSAY_SIMT_INLINE void sync(const coalesced_group& group) { group.sync(); }

// The lanes of a group that brought the caller's label. Parts are counted by their lowest lanes.
template <class Group, class Label>
ASSAY_SIMT_INLINE coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned all = group.mask(), part = __match_any_sync(all, label);
  const unsigned lowest = part & (0u - part);
  const unsigned leaders = __ballot_sync(all, lowest == 1u << ::assay::simt::lane_id());
  return coalesced_group(part, static_cast<unsigned>(__builtin_popcount(leaders & (lowest - 1))),
                         static_cast<unsigned>(__builtin_popcount(leaders)));
}
template <class Group>
ASSAY_SIMT_INLINE coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned all = group.mask(), with = __ballot_sync(all, predicate);
  return coalesced_group(predicate ? with : all & ~with, predicate ? 1 : 0, 2);
}
ASSAY_SIMT_INLINE coalesced_group tiled_partition(const coalesced_group& group, unsigned threads) {
  return coalesced_group(::assay::simt::part_of(group.mask(), threads), group.thread_rank() / threads,
                         (group.num_threads() + threads - 1) / threads);
}

}  // namespace cooperative_groups

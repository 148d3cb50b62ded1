// inclusive_scan() and exclusive_scan() of cooperative groups over the threads of a tile or coalesced lanes.
#pragma once

#include "harness/simt/include/cooperative_groups/reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Combine = plus<T>>
ASSAY_SIMT_INLINE T inclusive_scan(const Group& group, T value, Combine combine = {}) {
  if constexpr (requires { group.combined(value, combine); }) {  // more than a warp
    const thread_block_tile<32> warp = tiled_partition<32>(this_thread_block());
    const T scanned = inclusive_scan(warp, value, combine);
    T before{};
    group.combined(warp.shfl(scanned, 31), combine, &before);
    return group.thread_rank() < 32 ? scanned : combine(before, scanned);
  } else {
    for (unsigned distance = 1; distance < group.num_threads(); distance *= 2) {
      const T before = group.shfl_up(value, distance);
      if (group.thread_rank() >= distance) value = combine(before, value);
    }
    return value;
  }
}
// The first thread gets T{}.
template <class Group, class T, class Combine = plus<T>>
ASSAY_SIMT_INLINE T exclusive_scan(const Group& group, T value, Combine combine = {}) {
  const T inclusive = inclusive_scan(group, value, combine);
  if constexpr (requires { group.combined(value, combine); }) {
    const thread_block_tile<32> warp = tiled_partition<32>(this_thread_block());
    T before{};
    group.combined(
        warp.shfl(inclusive, 31), [](T, T last) { return last; }, &before);
    const T of_lane_before = warp.shfl_up(inclusive, 1);
    return group.thread_rank() == 0 ? T{} : warp.thread_rank() == 0 ? before : of_lane_before;
  } else {
    const T before = group.shfl_up(inclusive, 1);
    return group.thread_rank() == 0 ? T{} : before;
  }
}

}  // namespace cooperative_groups

// inclusive_scan() and exclusive_scan() of cooperative groups over the lanes of a tile.
#pragma once

#include "harness/simt/include/cooperative_groups/reduce.h"

namespace cooperative_groups {

template <unsigned N, class Parent, class T, class Combine = plus<T>>
ASSAY_SIMT_INLINE T inclusive_scan(const thread_block_tile<N, Parent>& tile, T value, Combine combine = {}) {
  for (unsigned distance = 1; distance < N; distance *= 2) {
    const T before = tile.shfl_up(value, static_cast<int>(distance));
    if (tile.thread_rank() >= distance) value = combine(before, value);
  }
  return value;
}
// The first lane gets T{}.
template <unsigned N, class Parent, class T, class Combine = plus<T>>
ASSAY_SIMT_INLINE T exclusive_scan(const thread_block_tile<N, Parent>& tile, T value, Combine combine = {}) {
  const T before = tile.shfl_up(inclusive_scan(tile, value, combine), 1);
  return tile.thread_rank() == 0 ? T{} : before;
}

}  // namespace cooperative_groups

// reduce() of cooperative groups: one value per thread of a tile or of coalesced lanes, combined; every thread gets
// the result.
//
// Lanes combine across halves, quarters and so on, so a float sum has the shape of a tree.
#pragma once

#include "harness/simt/include/cooperative_groups.h"

namespace cooperative_groups {

#define ASSAY_COMBINER(name, expression)                                  \
  template <class T>                                                      \
  struct name {                                                           \
    ASSAY_SIMT_INLINE T operator()(T a, T b) const { return expression; } \
  };
ASSAY_COMBINER(plus, static_cast<T>(a + b))
ASSAY_COMBINER(less, b < a ? b : a)
ASSAY_COMBINER(greater, a < b ? b : a)
ASSAY_COMBINER(bit_and, static_cast<T>(a& b))
ASSAY_COMBINER(bit_or, static_cast<T>(a | b))
ASSAY_COMBINER(bit_xor, static_cast<T>(a ^ b))
#undef ASSAY_COMBINER

template <unsigned N, class Parent, class T, class Combine>
requires(N <= 32) ASSAY_SIMT_INLINE T reduce(const thread_block_tile<N, Parent>& tile, T value, Combine combine) {
  for (unsigned distance = N / 2; distance > 0; distance /= 2)
    value = combine(value, tile.shfl_xor(value, static_cast<int>(distance)));
  return value;
}

template <class T, class Combine>
ASSAY_SIMT_INLINE T reduce(const coalesced_group& group, T value, Combine combine) {
  const unsigned rank = group.thread_rank(), count = group.num_threads();
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    if (distance >= count) continue;
    const T other = group.shfl_down(value, distance);
    if (rank < distance && rank + distance < count) value = combine(value, other);
  }
  return group.shfl(value, 0);
}

template <unsigned N, class Parent, class T, class Combine>
requires(N > 32) ASSAY_SIMT_INLINE T reduce(const thread_block_tile<N, Parent>& tile, T value, Combine combine) {
  const thread_block_tile<32> warp = tiled_partition<32>(this_thread_block());
  return tile.combined(reduce(warp, value, combine), combine);
}

}  // namespace cooperative_groups

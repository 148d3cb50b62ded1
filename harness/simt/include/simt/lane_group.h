// Lanes of a warp as a group: ranks, parts, and shuffles of values of any size.
#pragma once

#include "harness/simt/include/simt/integer.h"
#include "harness/simt/include/simt/warp.h"

namespace assay::simt {

// How many of the lanes lie before the calling one.
ASSAY_SIMT_INLINE unsigned rank_in(unsigned lanes) {
  return static_cast<unsigned>(__builtin_popcount(lanes & ((1u << lane_id()) - 1)));
}
// The lane of this rank; the last one where there are fewer.
ASSAY_SIMT_INLINE unsigned lane_of_rank(unsigned lanes, unsigned rank) {
  for (; rank > 0 && (lanes & (lanes - 1)) != 0; --rank) lanes &= lanes - 1;
  return static_cast<unsigned>(__builtin_ctz(lanes));
}
// The part that the calling lane is in, where the lanes are cut into parts of `size` by rank.
ASSAY_SIMT_INLINE unsigned part_of(unsigned lanes, unsigned size) {
  const unsigned first = rank_in(lanes) / size * size;
  unsigned part = 0, rank = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    if (rank >= first && rank < first + size) part |= 1u << lane;
    ++rank;
  }
  return part;
}
// The bits of the lanes, moved to their ranks.
ASSAY_SIMT_INLINE unsigned by_rank(unsigned lanes, unsigned bits) {
  unsigned result = 0;
  for (unsigned rank = 0; lanes != 0; lanes &= lanes - 1, ++rank)
    if ((bits & lanes & (0u - lanes)) != 0) result |= 1u << rank;
  return result;
}

// A shuffle of a value of any size, which groups have: 8 bytes at a time.
template <class T>
ASSAY_SIMT_INLINE T shuffle_words(unsigned mask, const T& value, unsigned source) {
  if constexpr (sizeof(T) <= 8) {
    return shuffle(mask, value, source);
  } else {
    static_assert(sizeof(T) <= 32, "a group shuffles at most 32 bytes");
    uint64_t words[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(words, &value, sizeof value);
    for (uint64_t& word : words) word = collective(mask, WarpOp::shuffle, word, source);
    T result;
    __builtin_memcpy(&result, words, sizeof result);
    return result;
  }
}

}  // namespace assay::simt

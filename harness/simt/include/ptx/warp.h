// Shuffles, votes, matches and reductions of a warp, as PTX has them: with clamps, segments and
// predicates.
#pragma once

#include "harness/simt/include/ptx/memory.h"
#include "harness/simt/include/simt/sync.h"
#include "harness/simt/include/simt/warp.h"

namespace assay::ptx {

enum class Shuffle { up, down, bfly, idx };

// The lane that `lane` reads, following the pseudo-code of shfl.sync; `inside` is its predicate.
constexpr uint32_t shuffle_source(Shuffle how, uint32_t lane, uint32_t b, uint32_t c, bool& inside) {
  const uint32_t by = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const uint32_t last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  const auto signed_lane = static_cast<int32_t>(lane), signed_by = static_cast<int32_t>(by);
  int32_t from = 0;
  switch (how) {
    case Shuffle::up:
      from = signed_lane - signed_by;
      break;
    case Shuffle::down:
      from = signed_lane + signed_by;
      break;
    case Shuffle::bfly:
      from = signed_lane ^ signed_by;
      break;
    case Shuffle::idx:
      from = static_cast<int32_t>(first | (by & ~segment));
      break;
  }
  inside = how == Shuffle::up ? from >= static_cast<int32_t>(last) : from <= static_cast<int32_t>(last);
  return inside ? static_cast<uint32_t>(from) : lane;
}
struct Shuffled {
  uint32_t value;
  bool inside;
};
template <Shuffle how>
ASSAY_PTX_APART_SWITCHING Shuffled shfl(uint32_t a, uint32_t b, uint32_t c, uint32_t mask) {
  bool inside = false;
  const uint32_t source = shuffle_source(how, simt::lane_id(), b, c, inside);
  const uint64_t got = simt::collective_from(__builtin_return_address(0), mask, simt::WarpOp::shuffle, a, source);
  return {static_cast<uint32_t>(got), inside};
}

ASSAY_SIMT_INLINE uint32_t vote_ballot(bool p, uint32_t mask) { return __ballot_sync(mask, p); }
ASSAY_SIMT_INLINE bool vote_all(bool p, uint32_t mask) { return __all_sync(mask, p) != 0; }
ASSAY_SIMT_INLINE bool vote_any(bool p, uint32_t mask) { return __any_sync(mask, p) != 0; }
ASSAY_SIMT_INLINE bool vote_uni(bool p, uint32_t mask) {
  const uint32_t votes = __ballot_sync(mask, p);
  return votes == 0 || votes == mask;
}
template <class T>
ASSAY_SIMT_INLINE uint32_t match_any(T a, uint32_t mask) {
  return __match_any_sync(mask, a);
}
template <class T>
ASSAY_SIMT_INLINE uint32_t match_all(T a, uint32_t mask, bool& equal) {
  int all = 0;
  const uint32_t lanes = __match_all_sync(mask, a, &all);
  equal = all != 0;
  return lanes;
}
template <Atomic op, class T>
ASSAY_SIMT_INLINE T redux(T a, uint32_t mask) {
  if constexpr (op == Atomic::add) return static_cast<T>(__reduce_add_sync(mask, a));
  if constexpr (op == Atomic::min) return static_cast<T>(__reduce_min_sync(mask, a));
  if constexpr (op == Atomic::max) return static_cast<T>(__reduce_max_sync(mask, a));
  if constexpr (op == Atomic::bit_and) return static_cast<T>(__reduce_and_sync(mask, as<uint32_t>(a)));
  if constexpr (op == Atomic::bit_or) return static_cast<T>(__reduce_or_sync(mask, as<uint32_t>(a)));
  if constexpr (op == Atomic::bit_xor) return static_cast<T>(__reduce_xor_sync(mask, as<uint32_t>(a)));
}

// elect.sync: the lane that leads those of `mask`, and whether the caller is it.
ASSAY_SIMT_INLINE uint32_t elect(uint32_t mask, bool& leads) {
  __syncwarp(mask);
  const auto leader = static_cast<uint32_t>(__builtin_ctz(mask));
  leads = leader == simt::lane_id();
  return leader;
}

ASSAY_SIMT_INLINE uint32_t warp_in_block() {
  const auto& t = threadIdx;
  const auto& size = blockDim;
  return (t.x + size.x * (t.y + size.y * t.z)) / 32;
}

}  // namespace assay::ptx

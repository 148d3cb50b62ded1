// Warp operations: shuffles, votes, matches and reductions among the lanes that a mask names.
//
// A value travels as 64 bits, so every type of up to 8 bytes can be shuffled, half2 and double included.
#pragma once

#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/qualifiers.h"
#include "harness/simt/include/simt/warp_op.h"

namespace assay::simt {

ASSAY_SIMT_INLINE unsigned lane_id() {
  const auto& t = threadIdx;
  const auto& dim = blockDim;
  return (t.x + dim.x * (t.y + dim.y * t.z)) & 31u;
}

ASSAY_SIMT_INLINE uint64_t collective(unsigned mask, WarpOp op, uint64_t value, unsigned source = 0) {
  const Arrival arrival = warp_arrive(current(), mask, op, value, source);
  switch_to(arrival.next);
  quiet_store(current()->site, kSiteBarrier);
  return quiet_load(*arrival.result);
}

template <class T>
ASSAY_SIMT_INLINE uint64_t to_bits(const T& value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
ASSAY_SIMT_INLINE T shuffle(unsigned mask, const T& value, unsigned source) {
  const uint64_t bits = collective(mask, WarpOp::shuffle, to_bits(value), source);
  T result;
  __builtin_memcpy(&result, &bits, sizeof result);
  return result;
}

// All 32 lanes meet, and the last one to come runs call.function for all of them.
ASSAY_SIMT_INLINE void call_for_warp(const WarpCall& call) {
  collective(0xffffffffu, WarpOp::call, reinterpret_cast<uintptr_t>(&call));
}

// The lanes of the warp that have come to this place, the caller's among them, once no lane of it can go on otherwise:
// what a GPU's activemask shows when branches meet again as soon as they can. It orders no memory accesses.
ASSAY_SIMT_INLINE unsigned converged_lanes() {
  return static_cast<unsigned>(collective(1u << lane_id(), WarpOp::converged, 0));
}

}  // namespace assay::simt

// The source lane of each form is the CUDA guide's: a lane whose source lies outside its segment of `width` lanes keeps
// its own value.
template <class T>
ASSAY_SIMT_INLINE T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned lane = ::assay::simt::lane_id(), w = static_cast<unsigned>(width);
  return ::assay::simt::shuffle(mask, value, (lane & ~(w - 1)) | (static_cast<unsigned>(source) & (w - 1)));
}
template <class T>
ASSAY_SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = ::assay::simt::lane_id(), w = static_cast<unsigned>(width);
  return ::assay::simt::shuffle(mask, value, (lane & (w - 1)) < delta ? lane : lane - delta);
}
template <class T>
ASSAY_SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = ::assay::simt::lane_id(), w = static_cast<unsigned>(width);
  return ::assay::simt::shuffle(mask, value, (lane & (w - 1)) + delta >= w ? lane : lane + delta);
}
template <class T>
ASSAY_SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const unsigned lane = ::assay::simt::lane_id(), w = static_cast<unsigned>(width);
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  return ::assay::simt::shuffle(mask, value, source > (lane | (w - 1)) ? lane : source);
}

ASSAY_SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffffu) {
  ::assay::simt::collective(mask, ::assay::simt::WarpOp::sync, 0);
}
ASSAY_SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(::assay::simt::collective(mask, ::assay::simt::WarpOp::ballot, predicate != 0));
}
ASSAY_SIMT_INLINE int __all_sync(unsigned mask, int predicate) {
  return static_cast<int>(::assay::simt::collective(mask, ::assay::simt::WarpOp::all, predicate != 0));
}
ASSAY_SIMT_INLINE int __any_sync(unsigned mask, int predicate) {
  return static_cast<int>(::assay::simt::collective(mask, ::assay::simt::WarpOp::any, predicate != 0));
}
template <class T>
ASSAY_SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  return static_cast<unsigned>(
      ::assay::simt::collective(mask, ::assay::simt::WarpOp::match_any, ::assay::simt::to_bits(value)));
}
template <class T>
ASSAY_SIMT_INLINE unsigned __match_all_sync(unsigned mask, T value, int* all_equal) {
  const auto lanes = static_cast<unsigned>(
      ::assay::simt::collective(mask, ::assay::simt::WarpOp::match_all, ::assay::simt::to_bits(value)));
  *all_equal = lanes != 0;
  return lanes;
}

// The lanes that have not returned. Lanes that sit in another branch are among them, as CUDA allows: a program may not
// take the answer for the set of lanes that took its branch.
ASSAY_SIMT_INLINE unsigned __activemask() { return ::assay::simt::warp_live_lanes(::assay::simt::current()); }

// The forms of old, without a mask, are of all lanes that have not returned. (CUDA meant those that took the branch: a
// kernel that relies on that is right on no GPU since Volta.)
template <class T>
ASSAY_SIMT_INLINE T __shfl(T value, int source, int width = 32) {
  return __shfl_sync(~0u, value, source, width);
}
template <class T>
ASSAY_SIMT_INLINE T __shfl_up(T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(~0u, value, delta, width);
}
template <class T>
ASSAY_SIMT_INLINE T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(~0u, value, delta, width);
}
template <class T>
ASSAY_SIMT_INLINE T __shfl_xor(T value, int lane_mask, int width = 32) {
  return __shfl_xor_sync(~0u, value, lane_mask, width);
}
ASSAY_SIMT_INLINE unsigned __ballot(int predicate) { return __ballot_sync(~0u, predicate); }
ASSAY_SIMT_INLINE int __all(int predicate) { return __all_sync(~0u, predicate); }
ASSAY_SIMT_INLINE int __any(int predicate) { return __any_sync(~0u, predicate); }

#define ASSAY_WARP_REDUCE(name, T, op)                                                                               \
  ASSAY_SIMT_INLINE T name(unsigned mask, T value) {                                                                 \
    return static_cast<T>(::assay::simt::collective(mask, ::assay::simt::WarpOp::op, static_cast<uint32_t>(value))); \
  }
ASSAY_WARP_REDUCE(__reduce_add_sync, int, add)
ASSAY_WARP_REDUCE(__reduce_add_sync, unsigned, add)
ASSAY_WARP_REDUCE(__reduce_min_sync, int, min_signed)
ASSAY_WARP_REDUCE(__reduce_min_sync, unsigned, min_unsigned)
ASSAY_WARP_REDUCE(__reduce_max_sync, int, max_signed)
ASSAY_WARP_REDUCE(__reduce_max_sync, unsigned, max_unsigned)
ASSAY_WARP_REDUCE(__reduce_and_sync, unsigned, bit_and)
ASSAY_WARP_REDUCE(__reduce_or_sync, unsigned, bit_or)
ASSAY_WARP_REDUCE(__reduce_xor_sync, unsigned, bit_xor)
#undef ASSAY_WARP_REDUCE

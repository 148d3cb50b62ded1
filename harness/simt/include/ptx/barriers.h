// bar and barrier of the whole block and of some threads, mbarrier, and the copies that an mbarrier counts.
//
// Limits: one block in a cluster. A copy that an mbarrier counts lands when the mbarrier learns of it, not when
// somebody waits: who reads it without waiting is found by the checked build, as a race, and reads the right value in
// the other.
#pragma once

#include "harness/simt/include/ptx/memory.h"
#include "harness/simt/include/simt/named_barriers.h"
#include "harness/simt/include/simt/sync.h"

namespace assay::ptx {

// Barrier 0 of all threads is the block's own.
ASSAY_SIMT_INLINE bool is_whole_block(uint32_t id, uint32_t threads) {
  const auto& size = blockDim;
  return id == 0 && (threads == 0 || threads >= size.x * size.y * size.z);
}
ASSAY_SIMT_INLINE void bar_sync(uint32_t id, uint32_t threads, unsigned line = __builtin_LINE()) {
  if (is_whole_block(id, threads)) return simt::barrier(line);
  simt::named_barrier_wait(id, simt::named_barrier_arrive(simt::current(), id, threads, false));
}
ASSAY_SIMT_INLINE void bar_arrive(uint32_t id, uint32_t threads) {
  simt::named_barrier_arrive(simt::current(), id, threads, false);
}
enum class Vote { popc, all, any };
template <Vote how>
ASSAY_SIMT_INLINE uint32_t bar_red(uint32_t id, uint32_t threads, bool p, unsigned line = __builtin_LINE()) {
  uint32_t yes = 0, no = 0;
  if (is_whole_block(id, threads)) {
    simt::vote(p ? 1 : 0, line);
    yes = simt::quiet_load(simt::block.result_true), no = simt::quiet_load(simt::block.result_false);
  } else {
    simt::named_barrier_wait(id, simt::named_barrier_arrive(simt::current(), id, threads, p));
    yes = simt::named_barrier_votes(id, true), no = simt::named_barrier_votes(id, false);
  }
  return how == Vote::popc ? yes : how == Vote::all ? no == 0 : yes != 0;
}

// An mbarrier's 64 bits, which PTX leaves open: 20 of arrivals until the phase is complete, 20 of those that the next
// one needs, 23 of bytes to be copied until it is complete, and the phase's parity.
struct Mbarrier {
  uint32_t pending, expected;
  int32_t bytes;
  uint32_t parity;
};
inline Mbarrier unpacked(uint64_t state) {
  return {static_cast<uint32_t>(state & 0xfffff), static_cast<uint32_t>(state >> 20 & 0xfffff),
          static_cast<int32_t>(static_cast<int64_t>(state << 1) >> 41), static_cast<uint32_t>(state >> 63)};
}
inline uint64_t packed(const Mbarrier& state) {
  return (state.pending & 0xfffffu) | uint64_t{state.expected & 0xfffffu} << 20 |
         uint64_t{static_cast<uint32_t>(state.bytes) & 0x7fffffu} << 40 | uint64_t{state.parity} << 63;
}
inline uint64_t mbarrier_begun(uint32_t count) { return packed({count, count, 0, 0}); }
// The state after `arrivals`, of which `dropped` will not come again, and with `bytes` more to be copied.
inline uint64_t mbarrier_after(uint64_t before, uint32_t arrivals, uint32_t dropped, int32_t bytes) {
  Mbarrier state = unpacked(before);
  state.pending -= arrivals, state.expected -= dropped, state.bytes += bytes;
  if (state.pending == 0 && state.bytes == 0) state.parity ^= 1, state.pending = state.expected;
  return packed(state);
}
inline uint32_t mbarrier_pending(uint64_t state) { return unpacked(state).pending; }
inline uint32_t mbarrier_parity(uint64_t state) { return unpacked(state).parity; }

// A plain store: an arrival that no barrier orders behind it is a race.
ASSAY_SIMT_INLINE void mbarrier_init(uint64_t address, uint32_t count) {
  store<uint64_t>(address, mbarrier_begun(count));
}

// An atomic: whoever does it has learnt from an atomic that all are done (libcu++'s pipelines count who is left), and
// the record of several threads' atomics names one of them only. So nobody hears of those who wait behind it.
inline void mbarrier_inval(uint64_t address) { store_ordered<uint64_t>(address, 0); }

inline uint64_t mbarrier_update(uint64_t address, uint32_t arrivals, uint32_t dropped, int32_t bytes) {
  __threadfence_block();
  return simt::atomic_update(reinterpret_cast<uint64_t*>(address),
                             [=](uint64_t before) { return mbarrier_after(before, arrivals, dropped, bytes); });
}
// Whether the phase of this parity is complete.
inline bool mbarrier_test_wait(uint64_t address, uint32_t parity) {
  const uint64_t now = simt::atomic_update(reinterpret_cast<uint64_t*>(address), [](uint64_t state) { return state; });
  simt::acquire<Scope::block>();
  return mbarrier_parity(now) != (parity & 1);
}
ASSAY_SIMT_INLINE bool mbarrier_try_wait(uint64_t address, uint32_t parity) {
  if (mbarrier_test_wait(address, parity)) return true;
  simt::let_others_run();
  return mbarrier_test_wait(address, parity);
}

// cp.async.mbarrier.arrive: with .noinc the arrival is one of those that the mbarrier expects, else one more.
ASSAY_SIMT_INLINE void cp_async_mbarrier_arrive(uint64_t address, bool is_expected) {
  simt::cp_async_wait_all();
  if (is_expected) mbarrier_update(address, 1, 0, 0);
}
// cp.async.bulk of 16 bytes at a time.
ASSAY_SIMT_INLINE void copy_bulk(uint64_t to, uint64_t from, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += 16) store<Words4>(to + at, load<Words4>(from + at));
}

}  // namespace assay::ptx

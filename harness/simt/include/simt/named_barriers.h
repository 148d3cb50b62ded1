// Barriers of some threads of a block, bar.sync ID, COUNT in PTX: what a kernel calls (runtime/named_barriers.cpp).
#pragma once

#include "harness/simt/include/simt/fiber.h"

#pragma GCC visibility push(default)
namespace assay::simt {

// The calling thread has come to barrier `id` of 16, which opens when `threads` have, or all of the block (0). Returns
// the opening to wait for. Threads are counted by whole warps, as on a GPU: lanes that do not exist or have returned
// come with the last that lives.
uint32_t named_barrier_arrive(const Fiber* me, uint32_t id, uint32_t threads, bool vote);
// The barrier of a tile of cooperative groups: the `number`th of `size` threads in its block, of which `threads` exist.
// The id by which to wait for it goes to `id`.
uint32_t tile_barrier_arrive(const Fiber* me, uint32_t size, uint32_t number, uint32_t threads, uint32_t* id);
// Whether the barrier has opened since. A thread that asks is one that waits there.
bool named_barrier_is_open(const Fiber* me, uint32_t id, uint32_t opening);
// The number of threads that voted so, among those that came before it last opened.
uint32_t named_barrier_votes(uint32_t id, bool vote);

}  // namespace assay::simt
#pragma GCC visibility pop

namespace assay::simt {

// Lets other threads run; returns when the ring comes round.
ASSAY_SIMT_INLINE void let_others_run() {
  if (!prepare_to_give_way()) return;
  switch_to(give_way(current()));
  quiet_store(current()->site, kSiteBarrier);
}

ASSAY_SIMT_INLINE void named_barrier_wait(uint32_t id, uint32_t opening) {
  while (!named_barrier_is_open(current(), id, opening)) let_others_run();
}

ASSAY_SIMT_INLINE void tile_barrier(uint32_t size, uint32_t number, uint32_t threads) {
  uint32_t id = 0;
  const uint32_t opening = tile_barrier_arrive(current(), size, number, threads, &id);
  named_barrier_wait(id, opening);
}

}  // namespace assay::simt

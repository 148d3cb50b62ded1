// A thread that waits gives way like one that spins, so the scheduler needs to know nothing of these barriers but what
// to report when nobody can open one.
#include "harness/simt/include/simt/named_barriers.h"

#include <fmt/format.h>

#include <bit>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

NamedBarriers& barriers() {
  Worker& worker = *this_worker_if_any();
  if (worker.named_barriers == nullptr) worker.named_barriers = std::make_unique<NamedBarriers>();
  return *worker.named_barriers;
}

uint32_t number_of(const Fiber* fiber) { return linear_index(fiber->thread_idx, block.block_dim); }

// No address of memory: every block has barriers of its own.
uintptr_t key_of(uint32_t id) {
  return ~((this_worker_if_any()->block_number() * NamedBarriers::kAll + id) * sizeof(uint64_t));
}

uint32_t threads_at(const NamedBarriers::Barrier& barrier) {
  uint32_t threads = barrier.arrived;
  for (const uint32_t lanes : barrier.came) threads += static_cast<uint32_t>(std::popcount(lanes));
  return threads;
}

// A warp has come when all its lanes have that live; it counts for 32 threads, as on a GPU.
void open_if_complete(NamedBarriers::Barrier& barrier) {
  Worker& worker = *this_worker_if_any();
  for (uint32_t w = 0; w < kWarpsMax; ++w) {
    if (barrier.came[w] == 0 || (worker.living_lanes(w) & ~barrier.came[w]) != 0) continue;
    barrier.came[w] = 0;
    barrier.arrived += kLanes;
  }
  const uint32_t needed = barrier.threads != 0 ? barrier.threads : kLanes * worker.living_warps();
  if (barrier.arrived < needed) return;
  barrier.arrived = 0;
  ++barrier.opened;
  barrier.result = barrier.votes;
  barrier.votes = {};
}

[[noreturn]] void stop(const void* pc, const std::string& what) {
  stop_launch(Kind::barrier, fmt::format("comes to a barrier ({}) {}", checked::source_line(pc), what));
}

uint32_t arrive(const Fiber* me, uint32_t id, uint32_t threads, bool vote, const void* pc) {
  if (threads % kLanes != 0)
    stop(pc,
         fmt::format("of {} threads, which is no number of whole warps; a GPU does not define what it does", threads));
  NamedBarriers& of_block = barriers();
  NamedBarriers::Barrier& barrier = of_block.all[id];
  if (threads_at(barrier) != 0 && barrier.threads != threads)
    stop(pc, fmt::format("number {} of {} threads, where others of the same number wait for {}", id, threads,
                         barrier.threads));
  of_block.waiting[number_of(me)] = {static_cast<uint8_t>(NamedBarriers::kAll), pc};
  if (checked::Monitor* const checker = this_worker_if_any()->launch->checker) {
    checker->fence(number_of(me));
    checker->meets(number_of(me), key_of(id));
  }
  const uint32_t opening = barrier.opened + 1;
  barrier.threads = threads;
  barrier.came[number_of(me) / kLanes] |= 1u << lane_of(*me);
  ++barrier.votes[vote ? 1 : 0];
  block.atomics_changed = true;
  open_if_complete(barrier);
  return opening;
}

}  // namespace

uint32_t named_barrier_arrive(const Fiber* me, uint32_t id, uint32_t threads, bool vote) {
  const void* const pc = __builtin_return_address(0);
  if (id >= NamedBarriers::kCount) stop(pc, fmt::format("with the number {}; a block has 16, from 0", id));
  return arrive(me, id, threads, vote, pc);
}

uint32_t tile_barrier_arrive(const Fiber* me, uint32_t size, uint32_t number, uint32_t threads, uint32_t* id) {
  *id = NamedBarriers::kCount + (kThreadsMax / 32 - 2 * kThreadsMax / size) + number;
  return arrive(me, *id, threads, false, __builtin_return_address(0));
}

bool named_barrier_is_open(const Fiber* me, uint32_t id, uint32_t opening) {
  NamedBarriers& of_block = barriers();
  NamedBarriers::Barrier& barrier = of_block.all[id];
  NamedBarriers::Waiting& waiting = of_block.waiting[number_of(me)];
  if (threads_at(barrier) != 0) open_if_complete(barrier);  // a lane or a warp may have returned since
  const bool open = static_cast<int32_t>(barrier.opened - opening) >= 0;
  waiting.barrier = static_cast<uint8_t>(open ? NamedBarriers::kAll : id);
  if (open)
    if (checked::Monitor* const checker = this_worker_if_any()->launch->checker)
      checker->meets(number_of(me), key_of(id));
  return open;
}

uint32_t named_barrier_votes(uint32_t id, bool vote) { return barriers().all[id].result[vote ? 1 : 0]; }

uint32_t Worker::living_lanes(uint32_t warp) {
  if (assay_simt_state.watch_returns == 0) watch_returns();
  return warp < warp_count_ ? warps_[warp].live : 0;
}

uint32_t Worker::living_warps() {
  uint32_t living = 0;
  for (uint32_t w = 0; w < warp_count_; ++w) living += living_lanes(w) != 0 ? 1 : 0;
  return living;
}

bool Worker::report_named_barrier(const Fiber& fiber) {
  if (named_barriers == nullptr) return false;
  const NamedBarriers::Waiting& waiting = named_barriers->waiting[number_of(&fiber)];
  if (waiting.barrier >= NamedBarriers::kAll) return false;
  const NamedBarriers::Barrier& barrier = named_barriers->all[waiting.barrier];
  const std::string name =
      waiting.barrier < NamedBarriers::kCount ? fmt::format("barrier {}", waiting.barrier) : "the barrier of its tile";
  stop(Kind::barrier,
       fmt::format("waits for ever at {} ({}), to which {} of {} threads have come", name,
                   checked::source_line(waiting.pc), threads_at(barrier),
                   barrier.threads != 0 ? barrier.threads : kLanes * living_warps()),
       &fiber.thread_idx, &fiber);
  return true;
}

}  // namespace assay::simt

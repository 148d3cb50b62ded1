// Runs one block: starts its ring, and decides what happens whenever the ring comes back.
//
// The common case costs nothing here: when every thread waits at the same barrier, the ring simply starts over. Only
// when warps wait for parts of themselves are threads *parked* one by one, until nothing can run and the reason is
// known.
#include <algorithm>
#include <numeric>

#include "harness/device/cpu/checked/detector.h"
#include "harness/device/cpu/simt/worker.h"

namespace assay::simt {
namespace {

uint32_t live_lanes(const Warp& warp) {
  uint32_t live = 0;
  for (const Fiber* fiber = warp.begin(); fiber != warp.end(); ++fiber)
    if (!is_dead(*fiber)) live |= 1u << lane_of(*fiber);
  return live;
}

}  // namespace

void Worker::begin_block(uint64_t index) {
  block_number_ = index;
  const dim3& grid = launch->shape.grid;
  block.block_idx = {static_cast<uint32_t>(index % grid.x), static_cast<uint32_t>(index / grid.x % grid.y),
                     static_cast<uint32_t>(index / grid.x / grid.y)};
  block.spin_budget = kSpinBudget;
  block.votes_true = block.votes_false = 0;
  std::copy_n(image_.get(), warp_count_, ring_.get());
  for (int i = 0; i < warp_count_; ++i) {
    Warp& warp = warps_[static_cast<size_t>(i)];
    warp.arrived = 0;
    warp.pending = false;
    warp.parked_pc.fill(nullptr);
  }
  assay_simt_state.watch_returns = 0;
  assay_simt_state.live = static_cast<int>(block.block_dim.x * block.block_dim.y * block.block_dim.z);
  mixed_ = false;
  abandoned = false;
  if (launch->options.schedule == 0) {
    order_ascending();
  } else {
    rng_ = Rng(Rng::mix(launch->options.schedule) ^ Rng::mix(index + 1));
    std::iota(order_.begin(), order_.begin() + warp_count_, 0);  // no trace of the block before
    order_shuffled();
  }
}

void Worker::run_block(uint64_t index) {
  begin_block(index);
  if (launch->checker != nullptr) launch->checker->begin_block(index);
  Fiber* from = warp_at(0).begin();
  while (from != nullptr) {
    Fiber* const reached = assay_simt_run_ring(from);
    if (abandoned) break;
    Warp& warp = warp_of(reached);
    from = warp.pending ? service_warp(warp) : nullptr;
    if (from == nullptr) from = warp.sentinel->next;
    if (from == nullptr) from = service_block();
  }
  if (abandoned) assay_simt_state.free_stack = stacks.all();
  end_spinning();
}

Warp& Worker::warp_of(const Fiber* fiber) {
  const auto offset = reinterpret_cast<const char*>(fiber) - reinterpret_cast<const char*>(ring_.get());
  return warps_[static_cast<size_t>(offset) / sizeof(Segment)];
}

void Worker::watch_returns() {
  assay_simt_state.watch_returns = 1;
  for (int i = 0; i < warp_count_; ++i) {
    Warp& warp = warps_[static_cast<size_t>(i)];
    warp.live = live_lanes(warp);
  }
}

void Worker::note_return(Fiber* me) {
  Warp& warp = warp_of(me);
  warp.live &= ~(1u << lane_of(*me));
  if (warp.arrived != 0) warp_lane_returned(warp);
}

// Lets the released lanes of a warp run and parks the others. nullptr when none can run.
Fiber* Worker::service_warp(Warp& warp) {
  warp.uniform = false;  // lanes may be parked from here on, so the operation's last lane must not just loop back
  bool ready = false;
  size_t place = 0;
  for (Fiber* fiber = warp.begin(); fiber != warp.end(); ++fiber, ++place) {
    if (is_dead(*fiber)) continue;
    void*& parked_pc = warp.parked_pc[place];
    if (fiber->site == kSiteReleased) {
      if (parked_pc != nullptr) fiber->pc = parked_pc;
      parked_pc = nullptr;
      ready = true;
    } else if (parked_pc == nullptr) {
      parked_pc = fiber->pc;
      fiber->pc = stub(assay_simt_parked);
    }
  }
  if (ready) return warp.begin();
  mixed_ = true;
  warp.pending = false;
  warp.sentinel->pc = warp.sentinel->default_pc;
  return nullptr;
}

// The ring is through: every thread has returned or waits. nullptr ends the block.
Fiber* Worker::service_block() {
  if (assay_simt_state.live == 0) return nullptr;
  if (mixed_) return service_waiting();
  check_same_barrier();
  return abandoned ? nullptr : release_barrier();
}

// Every live thread waits at one barrier: begin the next interval.
Fiber* Worker::release_barrier() {
  if (launch->checker != nullptr) launch->checker->barrier_complete();
  block.result_true = block.votes_true;
  block.result_false = block.votes_false;
  block.votes_true = block.votes_false = 0;
  block.spin_budget = kSpinBudget;
  if (spin_rounds_ != 0) end_spinning();
  if (launch->options.schedule != 0) order_shuffled();
  return warp_at(0).begin();
}

// Inside a warp, threads compared themselves with the one before them, so its first and last speak for it.
void Worker::check_same_barrier() {
  const Fiber* first = nullptr;
  for (int i = 0; i < warp_count_; ++i) {
    const Warp& warp = warps_[static_cast<size_t>(i)];
    const Fiber* front = warp.begin();
    while (front != warp.end() && is_dead(*front)) ++front;
    if (front == warp.end()) continue;
    const Fiber* back = warp.end() - 1;
    while (is_dead(*back)) --back;
    if (first == nullptr) first = front;
    for (const Fiber* fiber : {front, back})
      if (fiber->site != first->site) return report_divergence(*first, *fiber);
  }
}

// Some warps have parked threads: find out whether a barrier is complete, somebody spins, or nothing can ever move.
Fiber* Worker::service_waiting() {
  int at_barrier = 0, waiting = 0, spinning = 0;
  const Fiber* first_at_barrier = nullptr;
  const Fiber* other_barrier = nullptr;
  for (int i = 0; i < warp_count_; ++i) {
    const Warp& warp = warps_[static_cast<size_t>(i)];
    for (const Fiber* fiber = warp.begin(); fiber != warp.end(); ++fiber) {
      if (is_dead(*fiber)) continue;
      if (fiber->site == kSiteSpinning) {
        ++spinning;
      } else if (fiber->site == kSiteWarpWait) {
        ++waiting;
      } else {
        ++at_barrier;
        if (first_at_barrier == nullptr) first_at_barrier = fiber;
        if (fiber->site != first_at_barrier->site) other_barrier = fiber;
      }
    }
  }
  if (spinning > 0) return next_spin_round();
  if (waiting > 0) return report_deadlock(), nullptr;
  if (other_barrier != nullptr) return report_divergence(*first_at_barrier, *other_barrier), nullptr;
  unpark_all();
  return release_barrier();
}

void Worker::unpark_all() {
  for (int i = 0; i < warp_count_; ++i) {
    Warp& warp = warps_[static_cast<size_t>(i)];
    size_t place = 0;
    for (Fiber* fiber = warp.begin(); fiber != warp.end(); ++fiber, ++place) {
      if (warp.parked_pc[place] != nullptr && !is_dead(*fiber)) fiber->pc = warp.parked_pc[place];
      warp.parked_pc[place] = nullptr;
    }
    warp.pending = false;
    warp.sentinel->pc = warp.sentinel->default_pc;
  }
  mixed_ = false;
}

}  // namespace assay::simt

// Runs one block: starts its ring, and decides what happens whenever the ring comes back.
//
// The common case costs nothing here: when every thread waits at the same barrier, the ring simply starts over. Only
// when warps wait for parts of themselves are threads *parked* one by one, until nothing can run and the reason is
// known.
#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/runtime/worker.h"
#include "harness/simt/sieve/sieve.h"

namespace assay::simt {
namespace {

uint32_t live_lanes(const Warp& warp) {
  uint32_t live = 0;
  for (const Fiber* fiber = warp.begin; fiber != warp.end; ++fiber)
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
  for (uint32_t w = 0; w < warp_count_; ++w) {
    warps_[w].arrived = 0;
    warps_[w].parked = false;
    warps_[w].lent_pc = nullptr;
  }
  assay_simt_state.watch_returns = 0;
  if (mixed_ || abandoned) parked_pc_.fill(nullptr);
  abandoned = false;
  if (async_copies != nullptr) async_copies->begin_block();
  if (named_barriers != nullptr) named_barriers->begin_block();
  order_ascending();
  set_mixed(false);
  rng_ = Rng(Rng::mix(launch->options.schedule) ^ Rng::mix(index + 1));
  if (launch->split != nullptr)
    split_block.begin_block(rng_);
  else if (launch->options.schedule != 0)
    order_shuffled();
}

void Worker::run_block(uint64_t index) {
  begin_block(index);
  if (launch->checker != nullptr) launch->checker->begin_block(index);
  if (launch->is_sieved) sieve::begin_block();
  run_from(ring_->begin());
}

void Worker::run_from(Fiber* from) {
  gives_turn_ = false;
  while (from != nullptr) {
    Fiber* const reached = assay_simt_run_ring(from);
    if (abandoned) break;
    Warp& warp = warp_of(reached[-1]);
    from = warp.lent_pc != nullptr ? service_warp(warp) : nullptr;
    if (from == nullptr) from = reached == end_ ? service_block() : reached;
  }
  if (abandoned) stacks.clear();
  if (gives_turn_) put_block_aside();
  end_spinning();
  if (!gives_turn_) vain_turns_ = 0;
}

void Worker::ask_for_service(Warp& warp) {
  if (warp.lent_pc != nullptr) return;
  warp.lent_pc = std::exchange(warp.end->pc, stub(assay_simt_to_scheduler));
}

void Worker::withdraw_service(Warp& warp) {
  if (warp.lent_pc != nullptr) warp.end->pc = std::exchange(warp.lent_pc, nullptr);
}

void Worker::watch_returns() {
  assay_simt_state.watch_returns = 1;
  for (uint32_t w = 0; w < warp_count_; ++w) warps_[w].live = live_lanes(warps_[w]);
}

void Worker::note_return(Fiber* me) {
  Warp& warp = warp_of(*me);
  warp.live &= ~(1u << lane_of(*me));
  if (warp.arrived != 0) warp_lane_returned(warp);
}

// Lets the released lanes of a warp run and parks the others. nullptr when none can run.
Fiber* Worker::service_warp(Warp& warp) {
  bool ready = false;
  for (Fiber* fiber = warp.begin; fiber != warp.end; ++fiber) {
    if (is_dead(*fiber)) continue;
    void*& pc = parked_pc(fiber);
    if (fiber->site == kSiteReleased) {
      if (pc != nullptr) fiber->pc = pc;
      pc = nullptr;
      ready = true;
    } else if (pc == nullptr) {
      pc = std::exchange(fiber->pc, stub(assay_simt_parked));
      warp.parked = true;
    }
  }
  set_mixed(true);
  if (ready) return warp.begin;
  if (warp_release_converged(warp)) return service_warp(warp);
  withdraw_service(warp);
  return nullptr;
}

// The ring is through: every thread has returned or waits. nullptr ends the block.
Fiber* Worker::service_block() {
  const Fiber* const front = first_living();
  if (front == nullptr) return nullptr;
  if (mixed_) return service_waiting();
  check_same_barrier(*front);
  return abandoned ? nullptr : release_barrier();
}

void count_votes() {
  block.result_true = block.votes_true;
  block.result_false = block.votes_false;
  block.votes_true = block.votes_false = 0;
}

// Every live thread waits at one barrier: begin the next interval.
Fiber* Worker::release_barrier() {
  if (launch->checker != nullptr) launch->checker->barrier_complete(resume_pc(*first_living()));
  count_votes();
  block.spin_budget = kSpinBudget;
  if (spin_rounds_ != 0) end_spinning();
  vain_turns_ = 0;
  if (launch->options.schedule != 0) order_shuffled();
  return ring_->begin();
}

const void* Worker::resume_pc(const Fiber& fiber) const {
  return fiber.pc == stub(assay_simt_parked) ? parked_pc_[static_cast<size_t>(&fiber - ring_->begin())] : fiber.pc;
}

// The line stands in front of the resume address.
uint32_t Worker::barrier_line(const Fiber& fiber) const {
#ifdef ASSAY_SIMT_BOOST
  return fiber.site;
#else
  uint32_t line;
  std::memcpy(&line, static_cast<const char*>(resume_pc(fiber)) - sizeof line, sizeof line);
  return line;
#endif
}

// Threads compared themselves with the one before them, so the first and the last speak for all.
void Worker::check_same_barrier(const Fiber& front) {
  const Fiber* back = end_ - 1;
  while (is_dead(*back)) --back;
  if (front.pc != back->pc && barrier_line(front) != barrier_line(*back)) report_divergence(front, *back);
}

const Fiber* Worker::first_living() const {
  const Fiber* const front = std::find_if_not(ring_->begin(), end_, is_dead);
  return front == end_ ? nullptr : front;
}

const Fiber* Worker::first_returned() const {
  const Fiber* const front = std::find_if(ring_->begin(), end_, is_dead);
  return front == end_ ? nullptr : front;
}

// Some warps have parked threads: find out whether a barrier is complete, somebody spins, or nothing can ever move.
Fiber* Worker::service_waiting() {
  int at_barrier = 0, waiting = 0, spinning = 0;
  const Fiber* first_at_barrier = nullptr;
  const Fiber* other_barrier = nullptr;
  for (const Fiber* fiber = ring_->begin(); fiber != end_; ++fiber) {
    if (is_dead(*fiber)) continue;
    if (fiber->site == kSiteSpinning) {
      ++spinning;
    } else if (fiber->site == kSiteWarpWait) {
      ++waiting;
    } else {
      ++at_barrier;
      if (first_at_barrier == nullptr) first_at_barrier = fiber;
      if (barrier_line(*fiber) != barrier_line(*first_at_barrier)) other_barrier = fiber;
    }
  }
  if (spinning > 0) return next_spin_round();
  if (waiting > 0) return report_deadlock(), nullptr;
  if (other_barrier != nullptr) return report_divergence(*first_at_barrier, *other_barrier), nullptr;
  unpark_all();
  return release_barrier();
}

void Worker::unpark_all() {
  for (Fiber* fiber = ring_->begin(); fiber != end_; ++fiber) {
    void*& pc = parked_pc(fiber);
    if (pc != nullptr && !is_dead(*fiber)) fiber->pc = pc;
    pc = nullptr;
  }
  for (uint32_t w = 0; w < warp_count_; ++w) warps_[w].parked = false;
  set_mixed(false);
}

void Worker::set_mixed(bool mixed) {
  mixed_ = mixed;
  const bool needs_scheduler = mixed || launch->checker != nullptr || launch->options.schedule != 0;
  assay_simt_state.starts_over = needs_scheduler ? nullptr : ring_->begin();
}

}  // namespace assay::simt

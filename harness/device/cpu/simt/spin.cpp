// Threads that wait by spinning on atomics, inside a block and between blocks.
//
// A fiber is never interrupted, so a thread that spins would keep the one it waits for from running. Atomics that
// change nothing therefore count down a budget, after which the thread gives way until the ring comes round. When a
// whole block does nothing else for long, and every other OS thread of the launch neither, nobody is left to change the
// memory. Limits: a loop on a plain volatile read cannot be seen, it ends by the time limit of the case.
#include <thread>
#include <utility>

#include "harness/device/cpu/simt/worker.h"

namespace assay::simt {

// Both must be exceeded: rounds alone would depend on the size of the block, time alone on the load of the machine.
constexpr int kRoundsMax = 64;
constexpr std::chrono::milliseconds kSpinMax{500};

bool prepare_to_give_way() {
  block.spin_budget = kSpinBudget;
  const bool changed = std::exchange(block.atomics_changed, false);
  Worker* const worker = this_worker_if_any();
  if (changed || worker == nullptr || worker->launch == nullptr) return false;  // host code may use atomics too
  return true;
}

void give_way(Fiber* me) {
  me->site = kSiteSpinning;
  Warp& warp = this_worker_if_any()->warp_of(me);
  warp.pending = true;
  warp.sentinel->pc = stub(assay_simt_to_scheduler);
}

// Every thread waits or spins: let the spinners look again.
Fiber* Worker::next_spin_round() {
  if (std::exchange(block.atomics_changed, false)) end_spinning();
  if (spin_rounds_++ == 0) {
    spin_since_ = std::chrono::steady_clock::now();
    ++launch->spinning;
  }
  if (launch->spinning < launch->active) {
    std::this_thread::yield();
  } else if (spin_rounds_ > kRoundsMax && std::chrono::steady_clock::now() - spin_since_ > kSpinMax) {
    for (int i = 0; i < warp_count_; ++i)
      for (const Fiber* fiber = warp_at(i).begin(); fiber != warp_at(i).end(); ++fiber)
        if (!is_dead(*fiber) && fiber->site == kSiteSpinning) return report_spinning(*fiber), nullptr;
  }
  park_waiting();
  for (int i = 0; i < warp_count_; ++i) {
    Warp& warp = warp_at(i);
    size_t place = 0;
    for (Fiber* fiber = warp.begin(); fiber != warp.end(); ++fiber, ++place) {
      if (is_dead(*fiber) || fiber->site != kSiteSpinning) continue;
      if (warp.parked_pc[place] != nullptr) fiber->pc = warp.parked_pc[place];
      warp.parked_pc[place] = nullptr;
      warp.pending = true;
      warp.sentinel->pc = stub(assay_simt_to_scheduler);
    }
  }
  return warp_at(0).begin();
}

void Worker::end_spinning() {
  if (spin_rounds_ != 0) --launch->spinning;
  spin_rounds_ = 0;
}

}  // namespace assay::simt

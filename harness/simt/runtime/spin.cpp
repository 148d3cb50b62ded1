// Threads that wait by spinning on atomics, inside a block and between blocks.
//
// A fiber is never interrupted, so a thread that spins would keep the one it waits for from running. Atomics that
// change nothing therefore count down a budget, after which the thread gives way until the ring comes round. When a
// whole block does nothing else for long, nobody is left to change the memory. Limits: a loop on a plain volatile read
// cannot be seen, it ends by the time limit of the case.
#include <utility>

#include "harness/simt/runtime/worker.h"

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

Fiber* give_way(Fiber* me) {
  me->site = kSiteSpinning;
  Worker& worker = *this_worker_if_any();
  worker.ask_for_service(worker.warp_of(*me));
  return me + 1;
}

// Every thread waits or spins: let the spinners look again.
Fiber* Worker::next_spin_round() {
  if (std::exchange(block.atomics_changed, false)) end_spinning();
  if (spin_rounds_++ == 0) spin_since_ = std::chrono::steady_clock::now();
  if (spin_rounds_ > kRoundsMax && std::chrono::steady_clock::now() - spin_since_ > kSpinMax) {
    for (const Fiber* fiber = ring_->begin(); fiber != end_; ++fiber)
      if (fiber->site == kSiteSpinning) return report_spinning(*fiber), nullptr;
  }
  park_waiting();
  const auto each_spinner = [&](auto&& visit) {
    for (Fiber* fiber = ring_->begin(); fiber != end_; ++fiber)
      if (fiber->site == kSiteSpinning) visit(fiber);
  };
  each_spinner([&](Fiber* fiber) {
    void*& pc = parked_pc(fiber);
    if (pc != nullptr) fiber->pc = pc;
    pc = nullptr;
  });
  each_spinner([&](Fiber* fiber) { ask_for_service(warp_of(*fiber)); });  // lends resume addresses, so only now
  return ring_->begin();
}

void Worker::end_spinning() { spin_rounds_ = 0; }

}  // namespace assay::simt

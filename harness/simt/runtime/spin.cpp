// Threads that wait by spinning on atomics, inside a block and between blocks.
//
// A fiber is never interrupted, so a thread that spins would keep the one it waits for from running. Atomics that
// change nothing therefore count down a budget, after which the thread gives way until the ring comes round. When a
// whole block does nothing else, it is put aside and other blocks run (waiting_blocks.h), as many as a GPU keeps at a
// time. When all of them do nothing else for long, nobody is left to change the memory. Limits: a loop on a plain
// volatile read cannot be seen, it ends by the time limit of the case; the checked build runs one block to its end
// before the next.
#include <utility>

#include "harness/simt/runtime/build_kind.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {

// Both must be exceeded: rounds alone would depend on the size of the block, time alone on the load of the machine.
constexpr int kRoundsMax = 64;
constexpr std::chrono::milliseconds kSpinMax{500};
constexpr uint64_t kVainTurns = 3;  // of each waiting block

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

// Whether this block can be put aside for others. The address sanitizer knows frames by their addresses.
bool Worker::others_may_run() const {
  return launch->checker == nullptr && !kAddressSanitizer && (blocks_to_begin_ > 0 || !waiting_.empty());
}

// No block can begin, and those that wait have each had turns in which nothing changed.
bool Worker::all_wait_in_vain() const {
  const size_t begun = waiting_.size() + 1;  // and not done
  const bool may_begin = blocks_to_begin_ > 0 && begun < resident_blocks(warp_count_ * kLanes);
  return !may_begin && vain_turns_ > kVainTurns * begun && std::chrono::steady_clock::now() - vain_since_ > kSpinMax;
}

// Every thread waits or spins: let the spinners look again, or other blocks run.
Fiber* Worker::next_spin_round() {
  if (std::exchange(block.atomics_changed, false)) end_spinning(), vain_turns_ = 0;
  if (spin_rounds_++ == 0) spin_since_ = std::chrono::steady_clock::now();
  bool in_vain = spin_rounds_ > kRoundsMax && std::chrono::steady_clock::now() - spin_since_ > kSpinMax;
  if (spin_rounds_ > 1 && others_may_run()) {
    if (vain_turns_++ == 0) vain_since_ = std::chrono::steady_clock::now();
    in_vain = all_wait_in_vain();
    gives_turn_ = !in_vain;
  }
  if (in_vain) {
    for (const Fiber* fiber = ring_->begin(); fiber != end_; ++fiber)
      if (fiber->site == kSiteSpinning) return report_spinning(*fiber), nullptr;
  }
  return gives_turn_ ? nullptr : start_spinners();
}

void Worker::continue_waiting_block() {
  take_block_back();
  run_from(start_spinners());
}

Fiber* Worker::start_spinners() {
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

// Follows who holds which lock, from compare-and-swap to the next atomic of the same thread at the address.
#include "harness/simt/checked/unfenced_locks.h"

#include <algorithm>

namespace assay::simt::checked {

void UnfencedLocks::begin_launch() {
  held_.clear();
  past_.clear();
}

void UnfencedLocks::begin_block(uint64_t tick) {
  block_ = tick;
  held_.clear();
}

void UnfencedLocks::barrier_complete() {
  for (auto& [thread, holding] : held_) holding.whole_block = true;
}

// One that fails is followed by another, which counts in its place.
void UnfencedLocks::compare_and_swap(uint32_t thread, uintptr_t address, uint64_t tick) {
  held_[thread] = {.address = address, .block = block_, .thread = thread, .taken = tick};
}

void UnfencedLocks::fence(uint32_t thread, Scope scope, uint64_t tick) {
  for (auto& [holder, holding] : held_) {
    if (holder != thread && !holding.whole_block) continue;
    holding.fenced_in_block = std::min(holding.fenced_in_block, tick);
    if (scope == Scope::device) holding.fenced = std::min(holding.fenced, tick);
  }
}

void UnfencedLocks::other_atomic(uint32_t thread, uintptr_t address) {
  if (held_.empty()) return;
  for (auto& [holder, holding] : held_) {
    if (holding.address != address || (holder != thread && !holding.whole_block)) continue;
    Past& past = past_[address];
    past.holdings.at(past.count++ % past.holdings.size()) = holding;
    held_.erase(holder);
    return;
  }
}

const UnfencedLocks::Holding* UnfencedLocks::held_by(uint32_t thread) const {
  for (const auto& [holder, holding] : held_)
    if (holder == thread || holding.whole_block) return &holding;
  return nullptr;
}

bool UnfencedLocks::came_before_a_fence(uint32_t me, uint64_t tick, uint32_t other) const {
  if (past_.empty() || held_.empty()) return false;
  const Holding* const mine = held_by(me);
  if (mine == nullptr) return false;
  const auto past = past_.find(mine->address);
  if (past == past_.end()) return false;
  return std::ranges::any_of(past->second.holdings, [&](const Holding& each) {
    const uint64_t fenced = each.block == block_ ? each.fenced_in_block : each.fenced;
    return each.address != 0 && (each.thread == other || each.whole_block) && tick >= each.taken && tick < fenced;
  });
}

}  // namespace assay::simt::checked

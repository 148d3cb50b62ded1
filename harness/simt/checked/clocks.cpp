// The graph of knowledge, and who has met whom.
#include "harness/simt/checked/clocks.h"

#include <algorithm>
#include <bit>

namespace assay::simt::checked {

void Clocks::begin_launch() {
  nodes_.assign(1, Node{});
  seen_.assign(1, 0);
  search_ = 0;
  published_.clear();
}

void Clocks::begin_block(uint64_t tick) {
  block_ = barrier_ = tick;
  learners_.clear();
  fencers_.clear();
  block_learnt_ = block_released_ = 0;
  warp_met_.fill(0);
}

Clocks::Thread& Clocks::state(uint32_t thread) {
  Thread& t = threads_[thread];
  if (t.block != block_) t = {block_, 0, 0};
  return t;
}

uint32_t Clocks::learnt(uint32_t thread) const {
  const Thread& t = threads_[thread];
  return t.block == block_ && t.learnt != 0 ? t.learnt : block_learnt_;
}

uint32_t Clocks::add(const Node& node) {
  if (nodes_.size() >= kNodesMax) return node.parents[0];
  nodes_.push_back(node);
  seen_.push_back(0);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

uint32_t Clocks::join(uint32_t a, uint32_t b) {
  if (a == 0 || a == b) return b;
  if (b == 0) return a;
  Node node;
  node.parents[0] = a, node.parents[1] = b;
  return add(node);
}

// From here on, the whole block has what threads learnt and fenced in the interval that ends.
void Clocks::barrier_complete(uint64_t tick) {
  for (const uint32_t thread : learners_) block_learnt_ = join(block_learnt_, state(thread).learnt);
  for (const uint32_t thread : fencers_) block_released_ = join(block_released_, state(thread).released);
  for (const uint32_t thread : learners_) state(thread).learnt = 0;
  learners_.clear();
  fencers_.clear();
  barrier_ = tick;
}

void Clocks::warp_complete(uint32_t warp, uint32_t lanes, bool all, uint64_t tick) {
  if (all) {
    warp_met_[warp] = tick;
  } else {
    std::array<uint64_t, 32> until{};
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      const Met& met = met_[warp * 32 + lane];
      if (met.block == block_)
        for (size_t i = 0; i < 32; ++i) until[i] = std::max(until[i], met.until[i]);
    }
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) until[static_cast<size_t>(std::countr_zero(rest))] = tick;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      met_[warp * 32 + static_cast<uint32_t>(std::countr_zero(rest))] = {block_, until};
  }
  if (learners_.empty()) return;
  uint32_t together = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    together = join(together, state(warp * 32 + static_cast<uint32_t>(std::countr_zero(rest))).learnt);
  if (together == 0) return;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint32_t thread = warp * 32 + static_cast<uint32_t>(std::countr_zero(rest));
    if (state(thread).learnt == 0) learners_.push_back(thread);
    state(thread).learnt = together;
  }
}

bool Clocks::lanes_met(uint32_t me, uint32_t other, uint64_t tick) const {
  if (me / 32 != other / 32) return false;
  if (tick < warp_met_[me / 32]) return true;
  const Met& met = met_[me];
  return met.block == block_ && tick < met.until[other % 32];
}

uint32_t Clocks::with_lanes_met(uint32_t known, uint32_t thread) {
  const Met& met = met_[thread];
  if (met.block != block_) return known;
  const uint64_t already = std::max(barrier_, warp_met_[thread / 32]);
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (lane != thread % 32 && met.until[lane] > already)
      known =
          add({.block = block_, .until = met.until[lane], .thread = thread / 32 * 32 + lane, .parents = {known, 0}});
  return known;
}

void Clocks::fence(uint32_t thread, uint64_t tick) {
  Thread& t = state(thread);
  t.released = add({.block = block_,
                    .barrier = barrier_,
                    .warp_until = warp_met_[thread / 32],
                    .until = tick,
                    .thread = thread,
                    .parents = {with_lanes_met(join(t.learnt, block_learnt_), thread), block_released_}});
  fencers_.push_back(thread);
}

void Clocks::atomic(uint32_t thread, uintptr_t address) {
  if (nodes_.size() == 1) return;  // nobody has fenced
  uint32_t& published = published_[address];
  Thread& t = state(thread);
  if (published != 0 && t.learnt != published) {
    if (t.learnt == 0) learners_.push_back(thread);
    t.learnt = join(t.learnt == 0 ? block_learnt_ : t.learnt, published);
  }
  const uint32_t released = join(t.released, block_released_);
  // A thread that spins publishes once.
  if (released != 0 && nodes_[published].parents[1] != released) published = join(published, released);
}

bool Clocks::knows(uint32_t me, uint64_t tick, uint32_t other) {
  if (nodes_.size() >= kNodesMax) return true;  // no memory for the truth: rather silent than wrong
  const uint32_t start = learnt(me);
  if (start == 0) return false;
  ++search_;
  pending_.assign(1, start);
  while (!pending_.empty()) {
    const uint32_t index = pending_.back();
    pending_.pop_back();
    if (index == 0 || seen_[index] == search_) continue;
    seen_[index] = search_;
    const Node& node = nodes_[index];
    const bool is_known = tick < node.barrier || (other == node.thread && tick < node.until) ||
                          (other / 32 == node.thread / 32 && tick < node.warp_until);
    if (tick >= node.block && is_known) return true;
    pending_.push_back(node.parents[0]);
    pending_.push_back(node.parents[1]);
  }
  return false;
}

}  // namespace assay::simt::checked

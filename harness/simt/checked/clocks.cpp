// The graph of knowledge, and who has met whom.
#include "harness/simt/checked/clocks.h"

#include <algorithm>
#include <bit>
#include <utility>

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
  hearers_.clear();
  unfenced_.clear();
  block_learnt_ = 0;
  block_released_ = {};
  block_fenced_ = 0;
  block_pending_ = {};
  warp_met_.fill(0);
}

Clocks::Thread& Clocks::state(uint32_t thread) {
  Thread& t = threads_[thread];
  if (t.block != block_) t = {.block = block_, .learnt = 0, .released = {}, .fenced = 0, .pending = {}};
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

// A thread that spins hears the same again and again, from two sides at most.
bool Clocks::has(uint32_t known, uint32_t node) const {
  for (int i = 0; i < 3 && known != 0; ++i, known = nodes_[known].parents[0])
    if (known == node || nodes_[known].parents[1] == node) return true;
  return false;
}

void Clocks::add_to(uint32_t& known, uint32_t node) {
  if (node != 0 && !has(known, node)) known = join(known, node);
}

void Clocks::learn(uint32_t thread, uint32_t node) {
  if (node == 0 || has(learnt(thread), node)) return;
  Thread& t = state(thread);
  if (t.learnt == 0) learners_.push_back(thread);
  t.learnt = join(learnt(thread), node);
}

// From here on, the whole block has what threads learnt and fenced in the interval that ends.
void Clocks::barrier_complete(uint64_t tick) {
  for (const uint32_t thread : learners_) block_learnt_ = join(block_learnt_, state(thread).learnt);
  for (const uint32_t thread : fencers_) {
    const Thread& t = state(thread);
    block_released_.to_device = join(block_released_.to_device, t.released.to_device);
    block_released_.to_block = join(block_released_.to_block, t.released.to_block);
    block_fenced_ = std::max(block_fenced_, t.fenced);
  }
  for (const uint32_t thread : hearers_) {
    const Heard heard = std::exchange(state(thread).pending, {});
    add_to(block_pending_.of_device, heard.of_device);
    add_to(block_pending_.of_block, heard.of_block);
  }
  for (const uint32_t thread : learners_) state(thread).learnt = 0;
  learners_.clear();
  fencers_.clear();
  hearers_.clear();
  for (Unfenced& each : unfenced_) each.whole_block = true;
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
  if (learners_.empty() && hearers_.empty()) return;
  uint32_t together = 0;
  Heard heard;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const Thread& t = state(warp * 32 + static_cast<uint32_t>(std::countr_zero(rest)));
    together = join(together, t.learnt);
    add_to(heard.of_device, t.pending.of_device);
    add_to(heard.of_block, t.pending.of_block);
  }
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const uint32_t thread = warp * 32 + static_cast<uint32_t>(std::countr_zero(rest));
    Thread& t = state(thread);
    if (together != 0) {
      if (t.learnt == 0) learners_.push_back(thread);
      t.learnt = together;
    }
    if (heard.of_device != 0 || heard.of_block != 0) {
      t.pending = heard;
      hearers_.push_back(thread);
    }
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

void Clocks::acquire(uint32_t thread, Scope scope) {
  if (nodes_.size() == 1) return;  // nobody has fenced
  Thread& t = state(thread);
  learn(thread, std::exchange(t.pending.of_block, 0));
  learn(thread, block_pending_.of_block);
  if (scope == Scope::device) {
    learn(thread, std::exchange(t.pending.of_device, 0));
    learn(thread, block_pending_.of_device);
  }
  std::erase_if(unfenced_, [&](const Unfenced& u) { return u.whole_block || u.thread / 32 == thread / 32; });
}

void Clocks::fence(uint32_t thread, Scope scope, uint64_t tick) {
  acquire(thread, scope);
  Thread& t = state(thread);
  const uint32_t known = with_lanes_met(join(t.learnt, block_learnt_), thread);
  const auto node = [&](uint32_t released) {
    return add({.block = block_,
                .barrier = barrier_,
                .warp_until = warp_met_[thread / 32],
                .until = tick,
                .thread = thread,
                .parents = {known, released}});
  };
  if (scope == Scope::device) t.released.to_device = node(block_released_.to_device);
  // A fence of the device is one of the block, and often there are no others.
  t.released.to_block = scope == Scope::device && block_released_.to_block == block_released_.to_device
                            ? t.released.to_device
                            : node(block_released_.to_block);
  t.fenced = tick;
  fencers_.push_back(thread);
}

void Clocks::hear(uint32_t thread, uintptr_t address, uint32_t node, uint32_t* pending) {
  if (node == 0 || has(learnt(thread), node)) return;
  if (pending != nullptr) {
    add_to(*pending, node);
    hearers_.push_back(thread);
    return;
  }
  const uint32_t before = learnt(thread);
  learn(thread, node);
  if (unfenced_.size() < kUnfencedMax) unfenced_.push_back({address, thread, before, learnt(thread), false});
}

uint64_t Clocks::atomic(uint32_t thread, uintptr_t address, Scope scope, bool takes) {
  if (nodes_.size() == 1) return 0;  // nobody has fenced
  Published& published = published_[address];
  if (published.block != block_) published.block = block_, published.to_block = 0;
  Thread& t = state(thread);
  if (scope == Scope::device) hear(thread, address, published.to_device, takes ? &t.pending.of_device : nullptr);
  hear(thread, address, published.to_block, takes ? &t.pending.of_block : nullptr);
  const auto latest = [&](uint32_t own, uint32_t of_block) {
    return own != 0 && nodes_[own].barrier == barrier_ ? own : join(own, of_block);
  };
  const uint32_t to_block = latest(t.released.to_block, block_released_.to_block);
  if (scope == Scope::device) add_to(published.to_device, latest(t.released.to_device, block_released_.to_device));
  add_to(published.to_block, to_block);
  return to_block == 0 ? 0 : std::max(t.fenced, block_fenced_);
}

template <class Wanted>
bool Clocks::any_reached(uint32_t start, Wanted is_wanted) {
  if (start == 0) return false;
  ++search_;
  open_.assign(1, start);
  while (!open_.empty()) {
    const uint32_t index = open_.back();
    open_.pop_back();
    if (index == 0 || seen_[index] == search_) continue;
    seen_[index] = search_;
    const Node& node = nodes_[index];
    if (is_wanted(node)) return true;
    open_.push_back(node.parents[0]);
    open_.push_back(node.parents[1]);
  }
  return false;
}

bool Clocks::reaches(uint32_t start, uint64_t tick, uint32_t other) {
  if (nodes_.size() >= kNodesMax) return true;  // no memory for the truth: rather silent than wrong
  return any_reached(start, [&](const Node& node) {
    const bool is_known = tick < node.barrier || (other == node.thread && tick < node.until) ||
                          (other / 32 == node.thread / 32 && tick < node.warp_until);
    return tick >= node.block && is_known;
  });
}

bool Clocks::may_know_many(uint32_t me, uint64_t last_tick, uint32_t first) {
  if (knows(me, last_tick, first)) return true;
  bool is_later_known = false, is_first_known = false;
  return any_reached(learnt(me), [&](const Node& node) {
    is_later_known = is_later_known || (last_tick >= node.block && last_tick < node.until);
    is_first_known = is_first_known || (node.block == block_ && node.thread == first);
    return is_later_known && is_first_known;
  });
}

bool Clocks::knows(uint32_t me, uint64_t tick, uint32_t other) { return reaches(learnt(me), tick, other); }

bool Clocks::knows_without_fence(uint32_t me, uint64_t tick, uint32_t other) {
  const Heard& own = state(me).pending;
  for (const uint32_t node : {own.of_device, own.of_block, block_pending_.of_device, block_pending_.of_block})
    if (reaches(node, tick, other)) return true;
  return false;
}

uintptr_t Clocks::rests_on(uint32_t me, uint64_t tick, uint32_t other) {
  if (nodes_.size() >= kNodesMax) return 0;
  for (const Unfenced& each : unfenced_)
    if ((each.whole_block || each.thread / 32 == me / 32) && reaches(each.after, tick, other) &&
        !reaches(each.before, tick, other))
      return each.address;
  return 0;
}

}  // namespace assay::simt::checked

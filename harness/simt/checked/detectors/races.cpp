// Finds races: two accesses of different threads to the same bytes, one of them a write, that nothing orders.
//
// A barrier orders a block and the end of a launch everything, which the times of the records show; clocks.h knows what
// warp operations and fences with atomics order. Two atomics never race, except those of a block's scope with others of
// other blocks; nor do lanes of a warp that store one value to one address by one instruction (same_stores.h).
//
// An order that rests on an atomic with no fence behind it is let pass until the same block publishes at that address
// behind a fence, and both ran the same code: then it was a lock, whose data a holder may have in its cache from an
// earlier time.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/simt/checked/clocks.h"
#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/same_stores.h"
#include "harness/simt/checked/unfenced_locks.h"

namespace assay::simt::checked {
namespace {

class Races : public Listener {
 public:
  using Listener::Listener;

  void launch_begins(const LaunchInfo&) override {
    clocks_.begin_launch();
    locks_.begin_launch();
    compared_.clear();
    atomics_of_blocks_.clear();
  }
  void block_begins(uint64_t) override {
    same_stores_.forget();
    clocks_.begin_block(monitor.time().now());
    locks_.begin_block(monitor.time().now());
    resting_.clear();
  }
  void block_ends() override { report_suspects(); }
  void barrier(const void*) override {
    report_suspects();
    same_stores_.forget();
    clocks_.barrier_complete(monitor.time().now());
    locks_.barrier_complete();
  }
  void lanes_met(uint32_t warp, uint32_t lanes, bool all) override {
    clocks_.warp_complete(warp, lanes, all, monitor.time().now());
  }
  void fence(uint32_t thread, Scope scope) override {
    clocks_.fence(thread, scope, monitor.time().now());
    locks_.fence(thread, scope, monitor.time().now());
  }
  void acquire(uint32_t thread, Scope scope) override {
    clocks_.acquire(thread, scope);
    locks_.fence(thread, scope, monitor.time().now());
  }
  void atomic(const Now& now) override {
    if (!atomics_of_blocks_.empty()) compare_scopes(now);
    if (now.of_block && now.space != Space::shared)
      atomics_of_blocks_[now.address] = {
          .exists = true, .tick = monitor.time().now(), .thread = now.me, .atomic = true, .pc = now.pc};
    const uint64_t fenced = clocks_.atomic(now.me, now.address, scope_of(now), now.compares);
    if (now.compares)
      locks_.compare_and_swap(now.me, now.address, monitor.time().now());
    else
      locks_.other_atomic(now.me, now.address);
    if (!resting_.empty() && fenced != 0) report_what_rests_on(now.address, fenced);
  }
  void time_restarts() override {
    clocks_.begin_launch();
    clocks_.begin_block(monitor.time().now());
    locks_.begin_launch();
    locks_.begin_block(monitor.time().now());
    atomics_of_blocks_.clear();
    resting_.clear();
  }

  void unsettled(const Now& now, const History& history) override {
    if (now.compares) compared_.insert(now.address);
    if (!history.told_apart) return;
    const Past &write = history.write, &read = history.read;
    const bool both_atomic = write.atomic && now.access == Access::atomic;
    if (both_atomic && now.of_block && now.space != Space::shared && (!in_this_block(write) || write.cross) &&
        !(write.many ? clocks_.knows_anything(now.me) : comes_before(now, write)))
      report(now, party(now, write, Access::atomic, history.half), kOfBlock);
    const bool unordered = write.exists && !both_atomic && !comes_before(now, write);
    if (unordered && in_this_block(write) && SameStores::are_one_instruction(now, write)) {
      same_stores_.expect(now, write);  // a lane's own read in between saw the value that will be there again
      return monitor.tell_when_stored();
    }
    if (unordered && !(now.access == Access::read && in_this_block(write) && same_stores_.has_stored(now, write)))
      found(now, write, write.atomic ? Access::atomic : Access::write, history.half);
    if (!unordered && write.exists && !both_atomic) remember_what_it_rests_on(now, write, Access::write, history.half);
    if (now.access == Access::read || !read.exists) return;
    if (!comes_before(now, read))
      found(now, read, Access::read, history.half);
    else
      remember_what_it_rests_on(now, read, Access::read, history.half);
  }

  // Who is ordered behind this read is behind that one, too: rows that a lock guards are read by one thread after
  // another.
  void read_again(const Now& now, const Past& earlier, bool& comes_after) override {
    comes_after = comes_after || clocks_.knows(now.me, earlier.tick, earlier.thread);
  }

  void stored() override {
    const auto numbers = [&](uintptr_t address) { return monitor.arena.numbers_at(address); };
    for (const SameStores::Difference& d : same_stores_.settle(numbers)) {
      if (d.overlaps) {
        monitor.report(
            Kind::race, d.now,
            fmt::format("but lanes {} and {} of warp {} store to overlapping bytes from different addresses in "
                        "this one instruction; which bytes stay is not defined. Give each its own bytes",
                        d.earlier_thread % 32, d.now.me % 32, d.now.me / 32),
            "overlap");
        continue;
      }
      const std::string values = d.before.empty() ? "" : fmt::format(" ({}, {})", d.before, d.after);
      if (d.in_bits_only) {
        monitor.tell_stored_equal(d.now, d.earlier_thread, values);
        continue;
      }
      monitor.report(Kind::race, d.now,
                     fmt::format("but lanes {} and {} of warp {} store different values{} in this one instruction; "
                                 "which one stays is not defined. Let one lane store, or give each its own element",
                                 d.earlier_thread % 32, d.now.me % 32, d.now.me / 32, values),
                     "different values");
    }
  }

  // A thread's read of its own copy is not a race, only too early.
  void while_copying(const Now& now, const Copy& copy) override {
    if (copy.thread == now.me && now.access == Access::read) return;
    report(now, {.pc = copy.pc,
                 .access = Access::write,
                 .copying = true,
                 .block = monitor.time().block_number(),
                 .thread = copy.thread,
                 .thread_known = copy.thread != now.me});
  }

 private:
  // A plain read of what others change by atomics: no mistake where it begins a loop of compare-and-swaps.
  struct Suspect {
    Now now;
    Party earlier;
  };

  // An access that came in order by an atomic without a fence behind it alone.
  struct Resting {
    uintptr_t on;
    uint64_t tick;
    Now now;
    Party earlier;
  };
  static constexpr size_t kRestingMax = 64;  // of a block
  static constexpr const char* kUnfenced =
      "the lock between them is taken with no fence behind it, and an atomic alone orders nothing; a __threadfence() "
      "before the first access in the lock, or an atomic that acquires, fixes it";
  static constexpr const char* kOfBlock =
      "an atomic of the block's scope is none for threads of other blocks; the form without _block, or a scope of the "
      "device, fixes it";

  static Scope scope_of(const Now& now) { return now.of_block ? Scope::block : Scope::device; }

  bool in_this_block(const Past& past) const { return past.tick >= monitor.time().block(); }

  // Whether a barrier, the end of the past's launch or one of the means of clocks.h puts the past first.
  bool comes_before(const Now& now, const Past& past) {
    hint_ = nullptr;
    rests_on_ = 0;
    const Timeline& time = monitor.time();
    if (now.space == Space::shared) {
      if (past.tick < time.barrier()) return true;
    } else {
      if (past.tick < time.launch()) return true;
      if (past.tick < time.block()) return is_known(now, past);
      if (past.cross && !clocks_.knows_anything(now.me)) return false;
      if (past.tick < time.barrier()) return true;
    }
    if (past.thread == now.me && !past.many) return true;
    if (!past.wide && clocks_.lanes_met(now.me, past.thread, past.tick)) return true;
    if (is_known(now, past)) return true;
    return past.many && hint_ == nullptr && clocks_.may_know_many(now.me, past.tick, past.thread);
  }

  bool is_known(const Now& now, const Past& past) {
    if (!clocks_.knows(now.me, past.tick, past.thread)) {
      if (clocks_.knows_without_fence(now.me, past.tick, past.thread)) hint_ = kUnfenced;
      return false;
    }
    if (locks_.came_before_a_fence(now.me, past.tick, past.thread)) {
      hint_ = kUnfenced;
      return false;
    }
    rests_on_ = clocks_.rests_on(now.me, past.tick, past.thread);
    return true;
  }

  // After comes_before() has said that it did.
  void remember_what_it_rests_on(const Now& now, const Past& past, Access access, bool half) {
    if (rests_on_ != 0 && resting_.size() < kRestingMax && now.access != Access::atomic && !past.atomic)
      resting_.push_back({rests_on_, monitor.time().now(), now, party(now, past, access, half)});
  }

  // A lock guards code that one thread after another runs: then some store came after one by the same instruction.
  // Where each has code of its own, a flag goes from hand to hand.
  void report_what_rests_on(uintptr_t address, uint64_t fenced) {
    const auto is_over = [&](const Resting& each) { return each.on == address && each.tick < fenced; };
    const bool is_lock = std::ranges::any_of(resting_, [&](const Resting& each) {
      return is_over(each) && each.now.access == Access::write && each.now.pc == each.earlier.pc;
    });
    for (const Resting& each : resting_)
      if (is_lock && is_over(each)) report(each.now, each.earlier, kUnfenced);
    std::erase_if(resting_, is_over);
  }

  // An atomic at an address where another block has made one of its own scope.
  void compare_scopes(const Now& now) {
    const auto found = atomics_of_blocks_.find(now.address);
    if (found == atomics_of_blocks_.end() || in_this_block(found->second) || comes_before(now, found->second)) return;
    report(now, party(now, found->second, Access::atomic, false), kOfBlock);
  }

  Party party(const Now& now, const Past& past, Access access, bool half) const {
    // With several readers recorded, another than this thread is meant.
    const bool another = past.thread != now.me || past.tick < monitor.time().block();
    return {.pc = past.pc,
            .access = access,
            .block = monitor.time().block_at(past.tick),
            .thread = past.thread,
            .others_too = past.many,
            .one_warp = past.many && !past.wide && !half,
            .other_blocks = past.cross && !half,
            .thread_known = past.thread_known && another};
  }

  void found(const Now& now, const Past& past, Access access, bool half) {
    const Party earlier = party(now, past, access, half);
    if ((now.access == Access::read && access == Access::atomic) ||
        (now.access == Access::atomic && access == Access::read))
      suspects_.push_back({now, earlier});
    else
      report(now, earlier, hint_);
  }

  void report(const Now& now, const Party& earlier, const char* hint = nullptr) {
    if (!monitor.log().is_new(Kind::race, now.pc, earlier.pc)) return;
    Report r{.kind = Kind::race, .me = {}, .earlier = earlier, .place = monitor.place(now), .what = {}, .hint = hint};
    r.me = {.pc = now.pc, .access = now.access, .block = monitor.time().block_number(), .thread = now.me};
    monitor.log().add(std::move(r));
  }

  void report_suspects() {
    for (const Suspect& suspect : suspects_)
      if (!compared_.contains(suspect.now.address)) report(suspect.now, suspect.earlier);
    suspects_.clear();
  }

  Clocks clocks_;
  UnfencedLocks locks_;
  std::vector<Resting> resting_;
  std::unordered_map<uintptr_t, Past> atomics_of_blocks_;  // the last of a block's scope, in device memory
  const char* hint_ = nullptr;                             // why comes_before() has said no, where that is known
  uintptr_t rests_on_ = 0;                                 // what its yes rests on (clocks.h)
  SameStores same_stores_;
  std::vector<Suspect> suspects_;
  std::unordered_set<uintptr_t> compared_;  // addresses of compare-and-swaps of this launch
};

const Registered<Races> registered("races", Kind::race);

}  // namespace
}  // namespace assay::simt::checked

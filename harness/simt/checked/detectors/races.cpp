// Finds races: two accesses of different threads to the same bytes, one of them a write, that nothing orders.
//
// A barrier orders a block and the end of a launch everything, which the times of the records show; clocks.h knows what
// warp operations and fences with atomics order. Two atomics never race, nor do lanes of a warp that store one value to
// one address by one instruction (same_stores.h).
#include <fmt/format.h>

#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/simt/checked/clocks.h"
#include "harness/simt/checked/monitor.h"
#include "harness/simt/checked/same_stores.h"

namespace assay::simt::checked {
namespace {

class Races : public Listener {
 public:
  using Listener::Listener;

  void launch_begins(const LaunchInfo&) override {
    clocks_.begin_launch();
    compared_.clear();
  }
  void block_begins(uint64_t) override {
    same_stores_.forget();
    clocks_.begin_block(monitor.time().now());
  }
  void block_ends() override { report_suspects(); }
  void barrier(const void*) override {
    report_suspects();
    same_stores_.forget();
    clocks_.barrier_complete(monitor.time().now());
  }
  void lanes_met(uint32_t warp, uint32_t lanes, bool all) override {
    clocks_.warp_complete(warp, lanes, all, monitor.time().now());
  }
  void fence(uint32_t thread) override { clocks_.fence(thread, monitor.time().now()); }
  void atomic(const Now& now) override { clocks_.atomic(now.me, now.address); }
  void time_restarts() override {
    clocks_.begin_launch();
    clocks_.begin_block(monitor.time().now());
  }

  void unsettled(const Now& now, const History& history) override {
    if (now.compares) compared_.insert(now.address);
    if (!history.told_apart) return;
    const Past &write = history.write, &read = history.read;
    const bool both_atomic = write.atomic && now.access == Access::atomic;
    const bool unordered = write.exists && !both_atomic && !comes_before(now, write);
    if (unordered && in_this_block(write) && SameStores::are_one_instruction(now, write)) {
      same_stores_.expect(now, write);  // a lane's own read in between saw the value that will be there again
      return monitor.tell_when_stored();
    }
    if (unordered && !(now.access == Access::read && in_this_block(write) && same_stores_.has_stored(now, write)))
      found(now, write, write.atomic ? Access::atomic : Access::write, history.half);
    if (now.access != Access::read && read.exists && !comes_before(now, read))
      found(now, read, Access::read, history.half);
  }

  void stored() override {
    const auto numbers = [&](uintptr_t address) { return monitor.arena.numbers_at(address); };
    for (const SameStores::Difference& d : same_stores_.settle(numbers)) {
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

  bool in_this_block(const Past& past) const { return past.tick >= monitor.time().block(); }

  // Whether a barrier, the end of the past's launch or one of the means of clocks.h puts the past first.
  bool comes_before(const Now& now, const Past& past) {
    const Timeline& time = monitor.time();
    if (now.space == Space::shared) {
      if (past.tick < time.barrier()) return true;
    } else {
      if (past.tick < time.launch()) return true;
      if (past.tick < time.block()) return clocks_.knows(now.me, past.tick, past.thread);
      if (past.cross && !clocks_.knows_anything(now.me)) return false;
      if (past.tick < time.barrier()) return true;
    }
    if (past.thread == now.me && !past.many) return true;
    if (!past.wide && clocks_.lanes_met(now.me, past.thread, past.tick)) return true;
    return clocks_.knows(now.me, past.tick, past.thread);
  }

  void found(const Now& now, const Past& past, Access access, bool half) {
    // With several readers recorded, another than this thread is meant.
    const bool another = past.thread != now.me || past.tick < monitor.time().block();
    const Party earlier{.pc = past.pc,
                        .access = access,
                        .block = monitor.time().block_at(past.tick),
                        .thread = past.thread,
                        .others_too = past.many,
                        .one_warp = past.many && !past.wide && !half,
                        .other_blocks = past.cross && !half,
                        .thread_known = past.thread_known && another};
    if ((now.access == Access::read && access == Access::atomic) ||
        (now.access == Access::atomic && access == Access::read))
      suspects_.push_back({now, earlier});
    else
      report(now, earlier);
  }

  void report(const Now& now, const Party& earlier) {
    if (!monitor.log().is_new(Kind::race, now.pc, earlier.pc)) return;
    Report r{.kind = Kind::race, .me = {}, .earlier = earlier, .place = monitor.place(now), .what = {}};
    r.me = {.pc = now.pc, .access = now.access, .block = monitor.time().block_number(), .thread = now.me};
    monitor.log().add(std::move(r));
  }

  void report_suspects() {
    for (const Suspect& suspect : suspects_)
      if (!compared_.contains(suspect.now.address)) report(suspect.now, suspect.earlier);
    suspects_.clear();
  }

  Clocks clocks_;
  SameStores same_stores_;
  std::vector<Suspect> suspects_;
  std::unordered_set<uintptr_t> compared_;  // addresses of compare-and-swaps of this launch
};

const Registered<Races> registered("races", Kind::race);

}  // namespace
}  // namespace assay::simt::checked

// The sentences of the executor's findings: who waits where, and what would end it.
#include <fmt/format.h>

#include <array>

#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/debugger.h"
#include "harness/simt/runtime/host_answers.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {

bool host_may_answer = false;

namespace {

const char* name(const Warp& warp, size_t lane) {
  static constexpr std::array kNames{"__syncwarp",        "__shfl_*_sync",     "__ballot_sync",     "__all_sync",
                                     "__any_sync",        "__match_any_sync",  "__match_all_sync",  "__reduce_add_sync",
                                     "__reduce_min_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_max_sync",
                                     "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync", "activemask"};
  static_assert(kNames.size() == static_cast<size_t>(WarpOp::call), "as in the enum");
  const WarpOp op = warp.ops[lane];
  return op == WarpOp::call ? brought(warp, lane).function->name : kNames.at(static_cast<size_t>(op));
}

// "__ballot_sync (softmax.cu:7) with mask 0x000fffff": what a lane has called.
std::string call(const Warp& warp, size_t lane) {
  const std::string line = checked::source_line(warp.callers[lane]);
  return fmt::format("{}{} with mask {:#010x}", name(warp, lane), line.empty() ? "" : " (" + line + ")",
                     warp.masks[lane]);
}

std::string thread_name(const uint3& t) { return fmt::format("thread ({},{},{})", t.x, t.y, t.z); }

Fiber* fiber_of_lane(const Warp& warp, size_t lane) {
  for (Fiber* fiber = warp.begin; fiber != warp.end; ++fiber)
    if (lane_of(*fiber) == lane) return fiber;
  return nullptr;
}

std::string what_waits(const Worker& worker, const Warp& warp, const Fiber& fiber) {
  const size_t lane = lane_of(fiber);
  if (is_dead(fiber)) return "has returned";
  if (fiber.site == kSiteWarpWait) return "waits in " + call(warp, lane);
  if (fiber.site == kSiteSpinning) return "spins on an atomic";
  return fmt::format("waits at the barrier in line {}", worker.barrier_line(fiber));
}

}  // namespace

// `thread` is named if known. A thread that is about to be named but does not run is given as `suspended`.
void Worker::stop(Kind kind, const std::string& what, const uint3* thread, const Fiber* suspended) {
  abandoned = true;
  if (!launch->findings.empty()) return;
  const uint3& b = block.block_idx;
  std::string where = fmt::format("kernel {} block ({},{},{})", launch->kernel_name, b.x, b.y, b.z);
  if (thread != nullptr) where += " " + thread_name(*thread);
  launch->findings = {{kind, where + ": " + what}};
  assay_finding(launch->findings[0].detail.c_str(), suspended == nullptr ? nullptr : suspended->sp,
                suspended == nullptr ? nullptr : resume_pc(*suspended));
}

void Worker::stop_on_fiber(Kind kind, const std::string& what, const uint3* thread) {
  stop(kind, what, thread);
  assay_simt_leave_to(&abandon);
}

void Worker::report_divergence(const Fiber& a, const Fiber& b) {
  stop(Kind::barrier,
       fmt::format("waits at the barrier in line {} while {} waits at the one in line {}; every thread of a block must "
                   "reach the same barrier",
                   barrier_line(a), thread_name(b.thread_idx), barrier_line(b)),
       &a.thread_idx, &a);
}

void Worker::report_not_in_own_mask(const Warp& warp, size_t lane) {
  stop_on_fiber(Kind::barrier, fmt::format("calls {}, which does not name its own lane {}", call(warp, lane), lane),
                &fiber_of_lane(warp, lane)->thread_idx);
}

void Worker::report_source_returned(const Warp& warp, size_t lane, uint32_t source) {
  stop_on_fiber(Kind::barrier,
                fmt::format("lane {} reads lane {} in {}, but that lane has returned from the kernel", lane, source,
                            call(warp, lane)),
                &fiber_of_lane(warp, lane)->thread_idx);
}

void Worker::report_part_of_warp(const Warp& warp, size_t lane, size_t missing) {
  const bool returned = (warp.exists >> missing & 1) != 0;
  stop_on_fiber(
      Kind::barrier,
      fmt::format("lane {} calls {}, which needs all 32 lanes, but lane {} {}", lane, call(warp, lane), missing,
                  returned ? "has returned from the kernel"
                           : "does not exist; the threads of a block must be a multiple of 32"),
      &fiber_of_lane(warp, lane)->thread_idx);
}

void Worker::report_two_calls(const Warp& warp, size_t lane, size_t other) {
  stop_on_fiber(Kind::barrier,
                fmt::format("lane {} calls {} while lane {} of the warp calls {}", lane, call(warp, lane), other,
                            call(warp, other)),
                &fiber_of_lane(warp, lane)->thread_idx);
}

// In a split kernel: the other lane has come to the same operation, with a mask that leaves this one out.
void Worker::report_waits_for_ever(const Warp& warp, size_t lane, size_t other) {
  const Fiber& me = *fiber_of_lane(warp, lane);
  stop_on_fiber(Kind::barrier,
                fmt::format("waits in {} for ever for lane {}, which {}", call(warp, lane), other,
                            "waits in " + call(warp, other)),
                &me.thread_idx);
}

const uint3* Worker::split_thread() const {
  if (launch->split == nullptr) return nullptr;
  return &image_->begin()[assay_simt_regions.thread].thread_idx;
}

void Worker::report_split_divergence(const uint32_t* lines, uint32_t a, uint32_t b) {
  const auto& state = assay_simt_regions;
  const uint32_t threads = block.block_dim.x * block.block_dim.y * block.block_dim.z;
  uint32_t thread = 0, other = 0;
  if (a == 0) {
    while (other < threads && state.place[other] == state.place[thread]) ++other;
    a = state.place[thread], b = other < threads ? state.place[other] : a;
  }
  const std::string who = other == 0 ? "another" : thread_name(image_->begin()[other].thread_idx);
  stop_on_fiber(Kind::barrier,
                fmt::format("waits at the barrier in line {} while {} waits at the one in line {}; every thread of a "
                            "block must reach the same barrier",
                            lines[a], who, lines[b]),
                &image_->begin()[thread].thread_idx);
}

// Two lanes that wait for each other with different masks or operations can never go on.
void Worker::check_contradiction(const Warp& warp, size_t lane) {
  for (size_t other = 0; other < kLanes; ++other) {
    const bool each_names_the_other =
        ((warp.arrived & warp.masks[lane]) >> other & 1) != 0 && (warp.masks[other] >> lane & 1) != 0;
    if (!each_names_the_other) continue;
    if (warp.masks[other] == warp.masks[lane] && warp.ops[other] == warp.ops[lane]) continue;
    stop_on_fiber(Kind::barrier,
                  fmt::format("lane {} calls {} while lane {} of the warp waits in {}", lane, call(warp, lane), other,
                              call(warp, other)),
                  &fiber_of_lane(warp, lane)->thread_idx);
  }
}

// Nothing can run, and at least one lane waits in a warp operation: say for whom.
void Worker::report_deadlock() {
  for (uint32_t w = 0; w < warp_count_; ++w) {
    const Warp& warp = warps_[w];
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if ((warp.arrived >> lane & 1) == 0) continue;
      const uint32_t missing = warp.masks[lane] & warp.live & ~warp.arrived;
      const Fiber* const awaited =
          missing != 0 ? fiber_of_lane(warp, static_cast<size_t>(__builtin_ctz(missing))) : nullptr;
      const std::string rest =
          awaited == nullptr ? "lanes that wait with other masks"
                             : fmt::format("lane {}, which {}", lane_of(*awaited), what_waits(*this, warp, *awaited));
      const Fiber& me = *fiber_of_lane(warp, lane);
      return stop(Kind::barrier, fmt::format("{} for ever for {}", what_waits(*this, warp, me), rest), &me.thread_idx,
                  &me);
    }
  }
}

void Worker::report_spinning(const Fiber& fiber) {
  if (report_named_barrier(fiber)) return;
  const std::string spins = "spins on an atomic that nobody changes: ";
  if (launch->checker != nullptr && blocks_to_begin_ > 0)
    return stop(Kind::skipped,
                spins +
                    "a block that has not begun may, but the checked build runs one block to its end before the "
                    "next; the fast build (device cpu) lets blocks take turns",
                &fiber.thread_idx, &fiber);
  if (blocks_to_begin_ > 0 && !waiting_.empty())
    return stop(Kind::timeout,
                spins + fmt::format("{} blocks wait for each other, and a GPU need not keep more at a time; a "
                                    "cooperative launch of fewer blocks, or work that is taken by a counter, avoids it",
                                    waiting_.size() + 1),
                &fiber.thread_idx, &fiber);
  if (host_may_answer)
    return stop(Kind::skipped,
                spins + "the program may when the launch has returned, which it does here when its kernel is done",
                &fiber.thread_idx, &fiber);
  stop(Kind::timeout, spins + "every other thread and block has returned, or waits too", &fiber.thread_idx, &fiber);
}

void Worker::report_stack_overrun() {
  if (!launch->findings.empty()) return;
  launch->findings = {{Kind::out_of_bounds,
                       fmt::format("kernel {}: a thread wrote below its stack: an index of a local array is negative, "
                                   "or the kernel needs more than the {} bytes that its code showed",
                                   launch->kernel_name, launch->stack_bytes)}};
}

// Only threads that have come to a barrier count: those before `me` in the ring that still live.
void check_barrier_site(Fiber* me) {
  const Fiber* before = me - 1;
  while (before->pc != nullptr && is_dead(*before)) --before;
  if (before->pc == nullptr) return;  // only the head has no resume address: `me` is the first of the ring
  if (before->site >= kSiteWarpWait) return;
  Worker& worker = *this_worker_if_any();
  if (worker.barrier_line(*before) == worker.barrier_line(*me)) return;
  worker.report_divergence(*before, *me);
  assay_simt_leave_to(&worker.abandon);
}

}  // namespace assay::simt

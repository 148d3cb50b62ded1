// Warp operations: a rendezvous of the lanes that a mask names.
//
// Each lane leaves its operand and gives way; the last one to come computes everybody's result. A lane that has
// returned is not waited for, as the PTX manual says of the .sync instructions. Lanes that never come, and masks that
// contradict each other, are findings.
#include <algorithm>
#include <bit>

#include "harness/simt/checked/monitor.h"
#include "harness/simt/include/ptx/apart_calls.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

// The value of a shuffle whose source lane takes no part: undefined on a GPU, here NaN or -1 so that a use shows.
constexpr uint64_t kUndefined = ~uint64_t{0};

template <class Visit>
void each_lane(uint32_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<size_t>(std::countr_zero(mask)));
}

uint64_t fold(const Warp& warp, uint32_t lanes, WarpOp op) {
  const auto first = static_cast<size_t>(std::countr_zero(lanes));
  auto sum = static_cast<uint32_t>(warp.values[first]);
  each_lane(lanes & (lanes - 1), [&](size_t lane) {
    const auto value = static_cast<uint32_t>(warp.values[lane]);
    const auto signed_sum = static_cast<int32_t>(sum), signed_value = static_cast<int32_t>(value);
    if (op == WarpOp::add) sum += value;
    if (op == WarpOp::bit_and) sum &= value;
    if (op == WarpOp::bit_or) sum |= value;
    if (op == WarpOp::bit_xor) sum ^= value;
    if (op == WarpOp::min_unsigned) sum = value < sum ? value : sum;
    if (op == WarpOp::max_unsigned) sum = value > sum ? value : sum;
    if (op == WarpOp::min_signed) sum = signed_value < signed_sum ? value : sum;
    if (op == WarpOp::max_signed) sum = signed_value > signed_sum ? value : sum;
  });
  return sum;
}

uint32_t lanes_that(uint32_t lanes, auto&& condition) {
  uint32_t found = 0;
  each_lane(lanes, [&](size_t lane) {
    if (condition(lane)) found |= 1u << lane;
  });
  return found;
}

uint32_t lanes_where(const Warp& warp, uint32_t lanes, auto&& condition) {
  return lanes_that(lanes, [&](size_t lane) { return condition(warp.values[lane]); });
}

// The result that all lanes share. Matches of all return the mask, or 0 when they differ.
uint64_t common_result(const Warp& warp, uint32_t lanes, WarpOp op) {
  const uint64_t first = warp.values[static_cast<size_t>(std::countr_zero(lanes))];
  const auto is_true = [](uint64_t value) { return value != 0; };
  switch (op) {
    case WarpOp::ballot:
      return lanes_where(warp, lanes, is_true);
    case WarpOp::all:
      return lanes_where(warp, lanes, is_true) == lanes;
    case WarpOp::any:
      return lanes_where(warp, lanes, is_true) != 0;
    case WarpOp::match_all:
      return lanes_where(warp, lanes, [&](uint64_t v) { return v == first; }) == lanes ? lanes : 0;
    case WarpOp::sync:
    case WarpOp::shuffle:
    case WarpOp::match_any:
    case WarpOp::converged:
    case WarpOp::call:
      return 0;
    case WarpOp::add:
    case WarpOp::min_signed:
    case WarpOp::min_unsigned:
    case WarpOp::max_signed:
    case WarpOp::max_unsigned:
    case WarpOp::bit_and:
    case WarpOp::bit_or:
    case WarpOp::bit_xor:
      return fold(warp, lanes, op);
  }
  return 0;
}

void call(Worker& worker, const Warp& warp, uint32_t lanes) {
  const auto first = static_cast<size_t>(std::countr_zero(lanes));
  if (lanes != ~0u) worker.report_part_of_warp(warp, first, static_cast<size_t>(std::countr_one(lanes)));
  const WarpFunction* const function = brought(warp, first).function;
  const WarpCall* calls[kLanes];
  for (size_t lane = 0; lane < kLanes; ++lane) {
    calls[lane] = &brought(warp, lane);
    if (calls[lane]->function != function) worker.report_two_calls(warp, first, lane);
  }
  function->run(calls);
}

void compute(Worker& worker, Warp& warp, uint32_t mask, uint32_t lanes, WarpOp op) {
  if (worker.launch->checker != nullptr) worker.launch->checker->warp_complete(warp, lanes);
  if (op == WarpOp::shuffle) {
    each_lane(lanes, [&](size_t lane) {
      const uint32_t source = warp.sources[lane];
      const uint32_t bit = 1u << source;
      if ((mask & warp.exists & ~warp.live & bit) != 0) worker.report_source_returned(warp, lane, source);
      warp.results[lane] = (lanes & bit) != 0 ? warp.values[source] : kUndefined;
    });
  } else if (op == WarpOp::match_any) {
    each_lane(lanes, [&](size_t lane) {
      warp.results[lane] = lanes_where(warp, lanes, [&](uint64_t v) { return v == warp.values[lane]; });
    });
  } else if (op == WarpOp::call) {
    call(worker, warp, lanes);
  } else if (op != WarpOp::sync) {
    const uint64_t result = common_result(warp, lanes, op);
    each_lane(lanes, [&](size_t lane) { warp.results[lane] = result; });
  }
}

bool all_brought(const Warp& warp, uint32_t lanes, uint32_t mask, WarpOp op) {
  bool same = (warp.arrived & lanes) == lanes;
  each_lane(lanes, [&](size_t lane) { same = same && warp.masks[lane] == mask && warp.ops[lane] == op; });
  return same;
}

void release(Warp& warp, uint32_t lanes) {
  warp.arrived &= ~lanes;
  for (Fiber* fiber = warp.begin; fiber != warp.end; ++fiber)
    if (!is_dead(*fiber) && ((lanes >> lane_of(*fiber)) & 1) != 0) fiber->site = kSiteReleased;
}

}  // namespace

Arrival warp_arrive(Fiber* me, uint32_t mask, WarpOp op, uint64_t value, uint32_t source) {
  return warp_arrive_from(__builtin_return_address(0), me, mask, op, value, source);
}

Arrival warp_arrive_from(const void* caller, Fiber* me, uint32_t mask, WarpOp op, uint64_t value, uint32_t source) {
  Worker& worker = *this_worker_if_any();
  if (assay_simt_state.watch_returns == 0) worker.watch_returns();
  Warp& warp = worker.warp_of(*me);
  const size_t lane = lane_of(*me);
  const uint32_t bit = 1u << lane;
  warp.masks[lane] = mask;
  warp.ops[lane] = op;
  warp.callers[lane] = caller;
  warp.values[lane] = value;
  warp.sources[lane] = static_cast<uint8_t>(source);
  if ((mask & bit) == 0) worker.report_not_in_own_mask(warp, lane);
  if (warp.arrived == 0) {
    warp.uniform = true;
    warp.common_mask = mask;
    warp.common_op = op;
  } else if (mask != warp.common_mask || op != warp.common_op) {
    warp.uniform = false;
  }
  if (!warp.uniform) worker.check_contradiction(warp, lane);
  warp.arrived |= bit;
  me->site = kSiteWarpWait;

  const uint32_t lanes = mask & warp.live;
  const bool complete = op == WarpOp::converged ? false
                        : warp.uniform          ? (warp.arrived & lanes) == lanes
                                                : all_brought(warp, lanes, mask, op);
  if (!complete) {
    worker.ask_for_service(warp);
    return {&warp.results[lane], me + 1};
  }
  compute(worker, warp, mask, lanes, op);
  if (warp.uniform && lanes == warp.live && !warp.parked && me + 1 == warp.end) {
    // The usual case: the whole warp, and its last lane has come last. The warp simply runs on.
    warp.arrived = 0;
    worker.withdraw_service(warp);
    return {&warp.results[lane], warp.begin};
  }
  release(warp, lanes);
  worker.ask_for_service(warp);
  return {&warp.results[lane], me + 1};
}

// The masks of a warp's lanes may name parts of it, which are served one after another.
void Worker::split_collective(uint32_t number, WarpOp op, regions::State& state, const void* caller) {
  Warp& warp = warps_[number];
  warp.begin = image_->begin() + size_t{number} * kLanes;
  warp.end = warp.begin + kLanes;
  warp.live = warp.arrived = split_block.living_lanes(number);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    warp.masks[lane] = state.masks[lane];
    warp.ops[lane] = op;
    warp.callers[lane] = caller;
    warp.values[lane] = state.values[lane];
    warp.sources[lane] = static_cast<uint8_t>(state.sources[lane]);
  }
  for (uint32_t left = warp.live; left != 0;) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const uint32_t mask = warp.masks[lane], lanes = mask & warp.live;
    if ((mask >> lane & 1) == 0) report_not_in_own_mask(warp, lane);
    each_lane(lanes, [&](size_t other) {
      if (warp.masks[other] == mask) return;
      check_contradiction(warp, lane);
      report_waits_for_ever(warp, lane, other);
    });
    compute(*this, warp, mask, lanes, op);
    left &= ~lanes;
  }
  std::copy(warp.results.begin(), warp.results.end(), state.results);
}

uint32_t warp_live_lanes(const Fiber* me) {
  Worker& worker = *this_worker_if_any();
  if (assay_simt_state.watch_returns == 0) worker.watch_returns();
  return worker.warp_of(*me).live;
}

bool Worker::warp_release_converged(Warp& warp) {
  const uint32_t waiting = lanes_that(warp.arrived, [&](size_t lane) { return warp.ops[lane] == WarpOp::converged; });
  if (waiting == 0) return false;
  const void* const place = warp.callers[static_cast<size_t>(std::countr_zero(waiting))];
  const uint32_t together = lanes_that(waiting, [&](size_t lane) { return warp.callers[lane] == place; });
  each_lane(together, [&](size_t lane) { warp.results[lane] = together; });
  release(warp, together);
  return true;
}

// A lane has returned: operations that waited only for it are complete.
void Worker::warp_lane_returned(Warp& warp) {
  each_lane(warp.arrived, [&](size_t lane) {
    if (((warp.arrived >> lane) & 1) == 0) return;  // released by an earlier round of this loop
    if (warp.ops[lane] == WarpOp::converged) return;
    const uint32_t lanes = warp.masks[lane] & warp.live;
    if (!all_brought(warp, lanes, warp.masks[lane], warp.ops[lane])) return;
    compute(*this, warp, warp.masks[lane], lanes, warp.ops[lane]);
    release(warp, lanes);
  });
  ask_for_service(warp);
}

}  // namespace assay::simt

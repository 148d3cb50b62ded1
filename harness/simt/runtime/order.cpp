// The orders in which a block's threads run: the ring's first state, and the seeded permutations of warps and lanes.
#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/simt/runtime/build_kind.h"
#include "harness/simt/runtime/debugger.h"
#include "harness/simt/runtime/signal_stack.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

// A table of permutations of the first `lanes` lanes (Fisher-Yates). Drawing from a table costs a tenth of permuting
// anew; since each interval permutes what the last one left, the orders that a block sees soon have nothing in common
// with the table.
template <class Orders>
void fill(Orders& orders, uint32_t lanes, Rng rng) {
  for (auto& order : orders) {
    std::iota(order.begin(), order.end(), uint8_t{0});
    for (uint32_t last = lanes; last-- > 1;) std::swap(order[last], order[rng.below(last + 1)]);
  }
}

// Whether nothing but the kernel's own code runs on the stacks of its threads: no signal handler, no function that
// somebody calls in a debugger, no memcpy() or expf() that the address sanitizer has replaced by its own. Only then
// what the build has proven is true.
bool only_the_kernel_uses_stacks() {
  static const bool debugged = debugger_attached();
  return !kAddressSanitizer && !debugged && handlers_have_own_stack();
}

}  // namespace

// Fills the image that every block of the launch starts from.
void Worker::prepare() {
  const dim3 dim = launch->shape.block;
  const uint32_t threads = dim.x * dim.y * dim.z;
  block.block_dim = dim;
  block.grid_dim = launch->shape.grid;
  warp_count_ = (threads + kLanes - 1) / kLanes;
  fiber_count_ = launch->split != nullptr ? 1 : threads;
  stacks.provide(static_cast<int>(fiber_count_), only_the_kernel_uses_stacks() ? launch->stack_bytes : 0);
  const Fiber end{assay_simt_state.passing_stack, stub(assay_simt_ring_end), {}, kSiteBarrier};
  for (const auto& ring : {ring_.get(), next_ring_.get(), image_.get()}) ring->begin()[fiber_count_] = end;
  for (uint32_t t = 0; t < threads; ++t)
    image_->begin()[t] = {stacks.top(static_cast<int>(t)), stub(assay_simt_start),
                          uint3{t % dim.x, t / dim.x % dim.y, t / dim.x / dim.y}, kSiteBarrier};
  for (uint32_t w = 0; w < warp_count_; ++w) {
    const uint32_t lanes = std::min(threads - w * kLanes, kLanes);
    warps_[w].exists = lanes == kLanes ? ~0u : (1u << lanes) - 1;
  }
  if (launch->split != nullptr)
    return split_block.begin_launch(launch->shape, launch->split->by_warps != 0, launch->options.schedule,
                                    image_->begin());
  if (launch->options.schedule == 0) return;
  fill(full_orders_, kLanes, Rng::stream(launch->options.schedule, "lanes"));
  if (threads % kLanes != 0) fill(tail_orders_, threads % kLanes, Rng::stream(launch->options.schedule, "tail"));
}

// The ring of a block that begins, threads in ascending order.
void Worker::order_ascending() {
  std::copy_n(image_->begin(), fiber_count_, ring_->begin());
  end_ = ring_->begin() + fiber_count_;
  for (uint32_t w = 0; w < warp_count_; ++w) {
    warps_[w].begin = ring_->begin() + w * kLanes;
    warps_[w].end = std::min(warps_[w].begin + kLanes, end_);
  }
}

// Writes the next ring from the running one: the warps in a new order, and the lanes in one inside each. The ring keeps
// a warp together, as hardware does.
void Worker::order_shuffled() {
  std::array<uint8_t, kWarpsMax> order;
  std::iota(order.begin(), order.begin() + warp_count_, uint8_t{0});
  Fiber* to = next_ring_->begin();
  for (uint32_t left = warp_count_; left > 0; --left) {
    const uint64_t draw = rng_.next();
    std::swap(order[left - 1], order[((draw >> 32) * left) >> 32]);
    Warp& warp = warps_[order[left - 1]];
    const auto lanes = static_cast<uint32_t>(warp.end - warp.begin);
    const LaneOrder& from = (lanes == kLanes ? full_orders_ : tail_orders_)[draw % kLaneOrders];
    for (uint32_t lane = 0; lane < lanes; ++lane) to[lane] = warp.begin[from[lane]];
    warp.begin = to;
    warp.end = to += lanes;
  }
  end_ = to;
  std::swap(ring_, next_ring_);
}

}  // namespace assay::simt

// The orders in which a block's threads run: the ring's first state, and the seeded permutations of warps and lanes.
#include <utility>

#include "harness/device/cpu/simt/worker.h"

namespace assay::simt {

// Fills the image that every block of the launch starts from. Sentinels are not part of it: link_warps() writes them.
void Worker::prepare() {
  const dim3 dim = launch->shape.block;
  const uint32_t threads = dim.x * dim.y * dim.z;
  block.block_dim = dim;
  block.grid_dim = launch->shape.grid;
  warp_count_ = static_cast<int>((threads + kLanes - 1) / kLanes);
  for (uint32_t first = 0, i = 0; first < threads; first += kLanes, ++i) {
    const uint32_t lanes = threads - first < kLanes ? threads - first : kLanes;
    Warp& warp = warps_[i];
    warp.segment = &ring_[i];
    warp.sentinel = reinterpret_cast<Sentinel*>(warp.begin() + lanes);
    warp.exists = lanes == kLanes ? ~0u : (1u << lanes) - 1;
    *image_[i].head() = Fiber{};
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const uint32_t t = first + lane;
      const uint3 thread_idx{t % dim.x, t / dim.x % dim.y, t / dim.x / dim.y};
      image_[i].begin()[lane] = {assay_simt_state.passing_stack, stub(assay_simt_start), thread_idx, kSiteRunning};
    }
  }
}

void Worker::order_ascending() {
  for (int i = 0; i < warp_count_; ++i) order_[static_cast<size_t>(i)] = i;
  link_warps();
}

// Fisher-Yates over the warps, and over the lanes inside each: the ring keeps a warp together, as hardware does.
void Worker::order_shuffled() {
  for (int i = warp_count_ - 1; i > 0; --i)
    std::swap(order_[static_cast<size_t>(i)], order_[rng_.below(static_cast<uint64_t>(i) + 1)]);
  for (int i = 0; i < warp_count_; ++i) {
    Warp& warp = warps_[static_cast<size_t>(i)];
    Fiber* const lanes = warp.begin();
    for (auto last = static_cast<uint32_t>(warp.end() - lanes) - 1; last > 0; --last)
      std::swap(lanes[last], lanes[rng_.below(last + 1)]);
  }
  link_warps();
}

void Worker::link_warps() {
  for (int place = 0; place < warp_count_; ++place) {
    Sentinel& sentinel = *warp_at(place).sentinel;
    const bool last = place + 1 == warp_count_;
    sentinel.sp = assay_simt_state.passing_stack;
    sentinel.next = last ? nullptr : warp_at(place + 1).begin();
    sentinel.begin = warp_at(place).begin();
    sentinel.default_pc = stub(last ? assay_simt_to_scheduler : assay_simt_next_warp);
    sentinel.pc = sentinel.default_pc;
  }
}

}  // namespace assay::simt

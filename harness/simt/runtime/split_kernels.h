// Kernels that a compiler pass has split into loops over threads (../regions): which there are, and the state of the
// block of one that runs.
//
// A split kernel is one function for a whole block. It runs on one fiber, so that findings, faults and the device's
// heap find the block as they find a thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/simt/include/simt/rng.h"
#include "harness/simt/regions/state.h"
#include "harness/simt/runtime/executor.h"

extern "C" __attribute__((visibility("default"))) assay::simt::regions::State assay_simt_regions;

#pragma GCC visibility push(default)
namespace assay::simt {

// The row of a module's table about the kernel; nullptr: it was compiled without the pass.
const regions::SplitKernel* split_kernel(const void* kernel);

// All kernels that a pass has seen, in the order of their modules' loading.
const std::vector<const regions::SplitKernel*>& split_kernels();

// Whether launches use what has been split; true until it is changed. For tests and measurements.
void use_split_kernels(bool use);

// How launches of a kernel run: "split", "split by warps", or "fibers: why".
std::string engine_of(const regions::SplitKernel& kernel);

}  // namespace assay::simt
#pragma GCC visibility pop

namespace assay::simt {

// Whether values that threads of split kernels keep lie there.
bool is_split_context(const void* address);

// The split version that this launch runs; nullptr: fibers run it.
const regions::SplitKernel* split_for(const Launch& shape, const Kernel& kernel, const Options& options);

// The threads of the block that runs: in which order, and who has returned.
class SplitBlock {
 public:
  // Schedule 0 is ascending order; others draw an order for each interval. `records` has the thread's index for each
  // thread of a block.
  void begin_launch(const Launch& shape, bool by_warps, uint64_t schedule, Fiber* records);
  void begin_block(Rng rng);

  void next_order();
  void drop();  // forgets threads that have returned
  uint32_t warp_of_group(uint32_t group) const;
  uint32_t living_lanes(uint32_t warp) const;
  bool all_live() const { return !any_returned_; }

 private:
  // Threads in groups, each a warp where the kernel has warp operations, and what the loops run through.
  struct Order {
    std::vector<uint16_t> threads;
    std::vector<regions::Segment> segments;
    std::array<uint32_t, regions::kGroups> begin{}, end{};
    uint32_t groups = 0;
  };

  void draw_orders();
  std::vector<uint16_t> draw_threads(uint32_t number, Rng& rng) const;
  void make_segments(Order& order) const;
  bool continues(const regions::Segment& segment, uint32_t thread) const;
  uint32_t group_of(uint32_t thread) const { return by_warps_ ? thread / regions::kLanesOfWarp : 0; }
  void use(const Order& order);

  static constexpr uint32_t kOrders = 16;

  uint32_t threads_ = 0, blocks_ = 0;
  bool by_warps_ = false, any_returned_ = false, is_ascending_ = true;
  uint64_t schedule_ = 0;
  Rng rng_{0};
  const Fiber* records_ = nullptr;
  Order ascending_;
  std::array<Order, kOrders> orders_;  // of which intervals draw
  Order living_;                       // where threads have returned
  const Order* used_ = nullptr;
  std::array<uint8_t, regions::kThreads> returned_{};
  std::array<uint16_t, regions::kThreads> place_{};
};

}  // namespace assay::simt

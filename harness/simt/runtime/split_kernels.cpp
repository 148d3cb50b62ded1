// The registry of split kernels, the orders of threads, and the functions that split kernels call.
#include "harness/simt/runtime/split_kernels.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/worker.h"

constinit assay::simt::regions::State assay_simt_regions{};

namespace assay::simt {
namespace {

constexpr size_t kContextBytes = size_t{64} << 20;  // as the pass allows

bool use_split = true;

struct SplitRegistry {
  std::unordered_map<const void*, const regions::SplitKernel*> by_kernel;
  std::vector<const regions::SplitKernel*> all;
};
SplitRegistry& split_registry() {
  static SplitRegistry& registry = *new SplitRegistry;  // modules add to it before and after main()
  return registry;
}

char* split_context() {
  static void* const memory =
      mmap(nullptr, kContextBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  SIMT_CHECK(memory != MAP_FAILED, "no addresses for the context of split kernels");
  return static_cast<char*>(memory);
}

}  // namespace

const regions::SplitKernel* split_kernel(const void* kernel) {
  const auto found = split_registry().by_kernel.find(kernel);
  return found == split_registry().by_kernel.end() ? nullptr : found->second;
}

const std::vector<const regions::SplitKernel*>& split_kernels() { return split_registry().all; }

void use_split_kernels(bool use) { use_split = use; }

std::string engine_of(const regions::SplitKernel& kernel) {
  if (kernel.split == nullptr) return fmt::format("fibers: {}", kernel.reason);
  return kernel.by_warps != 0 ? "split by warps" : "split";
}

bool is_split_context(const void* address) {
  return static_cast<const char*>(address) >= split_context() &&
         static_cast<const char*>(address) < split_context() + kContextBytes;
}

// Who looks at single threads, the checked build and the search for the first NaN, needs fibers. A launch whose first
// word of the closure is not the kernel comes from elsewhere (harness/ptx).
const regions::SplitKernel* split_for(const Launch& shape, const Kernel& kernel, const Options& options) {
  if (!use_split || options.first_nonfinite != nullptr) return nullptr;
  const regions::SplitKernel* const split = split_kernel(kernel.address);
  if (split == nullptr || split->split == nullptr || split->context_bytes > kContextBytes) return nullptr;
  if ((split->checks != 0) != options.sieve || (options.checker != nullptr && !options.sieve)) return nullptr;
  if (split->by_warps != 0 && shape.block.x % regions::kLanesOfWarp != 0) return nullptr;
  return *static_cast<const void* const*>(kernel.closure) == kernel.address ? split : nullptr;
}

void SplitBlock::begin_launch(const Launch& shape, bool by_warps, uint64_t schedule, Fiber* records) {
  threads_ = shape.block.x * shape.block.y * shape.block.z;
  by_warps_ = by_warps;
  schedule_ = schedule;
  blocks_ = 0;
  records_ = records;
  regions::State& state = assay_simt_regions;
  state.returned = returned_.data();
  state.place = place_.data();
  state.fibers = reinterpret_cast<char*>(records);
  returned_.fill(0);
  place_.fill(0);
  any_returned_ = false;
  ascending_.threads.resize(threads_);
  std::iota(ascending_.threads.begin(), ascending_.threads.end(), uint16_t{0});
  make_segments(ascending_);
  if (schedule != 0) draw_orders();
  use(ascending_);
}

void SplitBlock::draw_orders() {
  Rng rng = Rng::stream(schedule_, "orders");
  for (uint32_t number = 0; number < kOrders; ++number) {
    orders_[number].threads = draw_threads(number, rng);
    make_segments(orders_[number]);
  }
}

namespace {

// The order of lanes inside of a warp.
enum class Lanes { ascend, ascend_from_anywhere, descend_by_eights, some_descend };

void append_lanes(std::vector<uint16_t>& threads, uint32_t begin, uint32_t lanes, Lanes kind, Rng& rng) {
  const auto add = [&](uint32_t lane) { threads.push_back(static_cast<uint16_t>(begin + lane)); };
  constexpr uint32_t kEight = 8;
  if (kind == Lanes::ascend_from_anywhere) {
    const auto first = static_cast<uint32_t>(rng.below(lanes));
    for (uint32_t lane = 0; lane < lanes; ++lane) add((lane + first) % lanes);
  } else if (kind == Lanes::descend_by_eights) {
    const auto cut = static_cast<uint32_t>(rng.below(kEight));  // the first are fewer, and so are the last
    for (uint32_t end = lanes; end > 0;) {
      const uint32_t from = end <= cut ? 0 : cut + (end - cut - 1) / kEight * kEight;
      for (uint32_t lane = from; lane < end; ++lane) add(lane);
      end = from;
    }
  } else if (kind == Lanes::some_descend && rng.below(4) == 0) {
    for (uint32_t lane = lanes; lane-- > 0;) add(lane);
  } else {
    for (uint32_t lane = 0; lane < lanes; ++lane) add(lane);
  }
}

}  // namespace

// Six of sixteen orders are the ascending one from some thread on (from some warp on, where groups are warps); in the
// others warps come in random order, and lanes in one of the ways above. So any two threads run in both orders. Lanes
// in random order would find no more, and cost a kernel its counted loops and predictable branches: softmax backward
// took 2.7 times as long as in ascending order.
std::vector<uint16_t> SplitBlock::draw_threads(uint32_t number, Rng& rng) const {
  constexpr uint32_t kRotated = 6, kPlain = 11, kAnywhere = 13;
  std::vector<uint16_t> threads = ascending_.threads;
  if (number < kRotated) {
    const auto first = static_cast<uint32_t>(rng.below(threads_));
    const uint32_t by = by_warps_ ? first / regions::kLanesOfWarp * regions::kLanesOfWarp : first;
    std::rotate(threads.begin(), threads.begin() + by, threads.end());
    return threads;
  }
  const Lanes kind = number < kPlain        ? Lanes::ascend
                     : number < kAnywhere   ? Lanes::ascend_from_anywhere
                     : number + 1 < kOrders ? Lanes::descend_by_eights
                                            : Lanes::some_descend;
  const uint32_t count = (threads_ + regions::kLanesOfWarp - 1) / regions::kLanesOfWarp;
  std::vector<uint32_t> warps(count);
  std::iota(warps.begin(), warps.end(), 0u);
  for (uint32_t last = count; last-- > 1;) std::swap(warps[last], warps[rng.below(last + 1)]);
  threads.clear();
  for (const uint32_t warp : warps) {
    const uint32_t begin = warp * regions::kLanesOfWarp;
    append_lanes(threads, begin, std::min(regions::kLanesOfWarp, threads_ - begin), kind, rng);
  }
  return threads;
}

bool SplitBlock::continues(const regions::Segment& segment, uint32_t thread) const {
  const uint3& index = records_[thread].thread_idx;
  return thread == segment.first + segment.count && index.y == segment.y && index.z == segment.z;
}

// Takes the threads that live; a group may be empty.
void SplitBlock::make_segments(Order& order) const {
  order.segments.clear();
  order.groups = 0;
  for (size_t i = 0; i < order.threads.size(); ++i) {
    const uint32_t thread = order.threads[i];
    const bool begins = i == 0 || group_of(order.threads[i - 1]) != group_of(thread);
    auto& segments = order.segments;
    if (begins) order.begin[order.groups++] = static_cast<uint32_t>(segments.size());
    if (returned_[thread] == 0) {
      const bool joins = segments.size() > order.begin[order.groups - 1] && continues(segments.back(), thread);
      const uint3& index = records_[thread].thread_idx;
      if (joins)
        ++segments.back().count;
      else
        segments.push_back({thread, 1, index.x, index.y, index.z, 0});
    }
    order.end[order.groups - 1] = static_cast<uint32_t>(segments.size());
  }
}

void SplitBlock::use(const Order& order) {
  used_ = &order;
  regions::State& state = assay_simt_regions;
  state.segments = order.segments.data();
  state.begin = order.begin.data(), state.end = order.end.data();
  state.groups = order.groups;
}

// Other orders than the ascending one cost up to two thirds more, so of a launch with many blocks one in four has them,
// behind the first ones.
void SplitBlock::begin_block(Rng rng) {
  constexpr uint32_t kOfMany = 32;
  rng_ = rng;
  is_ascending_ = schedule_ == 0 || (++blocks_ > kOfMany && rng_.below(4) != 0);
  if (any_returned_) std::fill_n(returned_.begin(), threads_, uint8_t{0});
  any_returned_ = false;
  assay_simt_regions.renews = !is_ascending_;
  next_order();
}

void SplitBlock::next_order() {
  const Order& order = is_ascending_ ? ascending_ : orders_[rng_.next() % kOrders];
  if (!any_returned_) return use(order);
  living_.threads = order.threads;
  std::erase_if(living_.threads, [&](uint16_t thread) { return returned_[thread] != 0; });
  make_segments(living_);
  use(living_);
}

// Inside an interval groups keep their numbers.
void SplitBlock::drop() {
  any_returned_ = true;
  assay_simt_regions.renews = 1;
  if (used_ != &living_) living_.threads = used_->threads;
  make_segments(living_);
  use(living_);
}

uint32_t SplitBlock::warp_of_group(uint32_t group) const {
  return used_->segments[used_->begin[group]].first / regions::kLanesOfWarp;
}

uint32_t SplitBlock::living_lanes(uint32_t warp) const {
  uint32_t lanes = 0;
  for (uint32_t lane = 0; lane < regions::kLanesOfWarp; ++lane) {
    const uint32_t thread = warp * regions::kLanesOfWarp + lane;
    if (thread < threads_ && returned_[thread] == 0) lanes |= 1u << lane;
  }
  return lanes;
}

}  // namespace assay::simt

// The functions that split kernels call (regions/loops.cpp).
#define ASSAY_SPLIT_CALL extern "C" __attribute__((visibility("default")))

ASSAY_SPLIT_CALL void assay_simt_regions_register(const assay::simt::regions::SplitKernel* kernels, uint64_t count) {
  auto& registry = assay::simt::split_registry();
  for (uint64_t i = 0; i < count; ++i) {
    registry.by_kernel[kernels[i].kernel] = &kernels[i];
    registry.all.push_back(&kernels[i]);
  }
}

ASSAY_SPLIT_CALL void* assay_simt_regions_context() { return assay::simt::split_context(); }

ASSAY_SPLIT_CALL void assay_simt_regions_next_order() { assay::simt::this_worker_if_any()->split_block.next_order(); }

ASSAY_SPLIT_CALL void assay_simt_regions_drop() { assay::simt::this_worker_if_any()->split_block.drop(); }

ASSAY_SPLIT_CALL void assay_simt_regions_count_votes() { assay::simt::count_votes(); }

// A shuffle of whole warps, which is most of what kernels do, goes without the record of a warp.
ASSAY_SPLIT_CALL void assay_simt_regions_collective(uint32_t group, uint32_t operation) {
  using assay::simt::WarpOp;
  auto& state = assay_simt_regions;
  assay::simt::Worker& worker = *assay::simt::this_worker_if_any();
  if (static_cast<WarpOp>(operation) == WarpOp::shuffle && worker.split_block.all_live()) {
    uint32_t all = ~0u;
    for (const uint32_t mask : state.masks) all &= mask;
    if (all == ~0u) {
      for (size_t lane = 0; lane < std::size(state.results); ++lane)
        state.results[lane] = state.values[state.sources[lane] % assay::simt::regions::kLanesOfWarp];
      return;
    }
  }
  worker.split_collective(worker.split_block.warp_of_group(group), static_cast<WarpOp>(operation), state,
                          __builtin_return_address(0));
}

// `a` and `b` are the points at which two warps have stopped; 0: State::place has those of threads.
ASSAY_SPLIT_CALL void assay_simt_regions_diverged(const uint32_t* lines, uint32_t a, uint32_t b) {
  assay::simt::this_worker_if_any()->report_split_divergence(lines, a, b);
}

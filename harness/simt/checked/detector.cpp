// Follows a launch: time, blocks, barriers, and the entries that modules call.
#include "harness/simt/checked/detector.h"

#include <algorithm>

#include "harness/simt/checked/checker.h"
#include "harness/simt/runtime/ring.h"

namespace assay::simt {

Checker::Checker(const Checks& checks) : detector_(new checked::Detector(checks)) {}
Checker::~Checker() { delete detector_; }
void* Checker::bind(const Buffer& buffer, const void* values) { return detector_->arena.place(buffer, values); }
void Checker::release_buffers() { detector_->arena.clear(); }

}  // namespace assay::simt

namespace assay::simt::checked {

constinit HookState hook_state{};

namespace {

constinit Detector* current_detector = nullptr;

uint32_t number_of(const Fiber* fiber) { return linear_index(fiber->thread_idx, block.block_dim); }

}  // namespace

namespace {

// Ranges that hold nothing: every access goes the long way, where it can be counted.
void turn_fast_path_away(HookState& state) {
  state.shared = ~uintptr_t{0};
  state.shared_bytes = 1;
  state.arena_bytes = 0;
}

}  // namespace

void Detector::begin_launch(const Launch& shape, const Module& module, const char* kernel, uint64_t schedule,
                            AccessStatistics* statistics) {
  shape_ = shape;
  shared_ = &SharedMemory::of(module);
  // Records of earlier launches, of this checker or of another, must all be older.
  tick_ = std::max(tick_, SharedMemory::last_tick) + 1;
  if (tick_ > kTickMax / 2) forget_records();
  launch_ = tick_;
  clocks_.begin_launch();
  log_.begin_launch(kernel, shape.grid, shape.block);
  block_begins_.clear();
  compared_.clear();
  switching_.begin_launch(schedule, uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z);
  half_sites_.assign(1, nullptr);
  hook_state = {};
  shared_->enter(hook_state, shape.shared_bytes);
  arena.enter(hook_state);
  if (statistics != nullptr) {
    statistics_ = std::make_unique<Statistics>(
        *statistics, kernel, Statistics::Block{shape.block.x * shape.block.y * shape.block.z, shape.shared_bytes});
    turn_fast_path_away(hook_state);
  }
  hook_state.stride_y = shape.block.x;
  hook_state.stride_z = shape.block.x * shape.block.y;
  current_detector = this;
}

void Detector::begin_block(uint64_t number) {
  flush_suspects();
  if (statistics_ != nullptr) statistics_->begin_block(number);
  block_number_ = number;
  advance();
  block_ = barrier_ = tick_;
  hook_state.launch = launch_ << kTickShift;
  hook_state.block = hook_state.barrier = hook_state.now;
  block_begins_.emplace_back(tick_, number);
  clocks_.begin_block(tick_);
  hook_state.until_switch = switching_.begin_block(number);
}

void Detector::barrier_complete(const void* resume) {
  flush_suspects();
  if (statistics_ != nullptr) statistics_->barrier(resume);
  advance();
  barrier_ = tick_;
  hook_state.barrier = hook_state.now;
  clocks_.barrier_complete(tick_);
}

void Detector::warp_complete(const Warp& warp, uint32_t lanes) {
  advance();
  const uint32_t number = number_of(warp.begin) / kLanes;
  if (statistics_ != nullptr) statistics_->lanes_met(number, lanes, lanes == warp.live);
  clocks_.warp_complete(number, lanes, lanes == warp.live, tick_);
}

void Detector::fence(uint32_t thread) {
  advance();
  clocks_.fence(thread, tick_);
}

Findings Detector::end_launch() {
  flush_suspects();
  if (statistics_ != nullptr) statistics_->end_launch();
  statistics_ = nullptr;
  SharedMemory::last_tick = tick_;
  current_detector = nullptr;
  hook_state = {};
  return log_.take();
}

void Detector::advance() {
  if (++tick_ >= kTickMax) forget_records();
  hook_state.now = tick_ << kTickShift;
}

// Ticks are used up: start again, knowing only what is initialised. Races between accesses before and after this moment
// are missed, once in 67 million barriers.
void Detector::forget_records() {
  arena.forget_records();
  shared_->forget_records(block_);
  outside_pages_.clear();
  const uint64_t now = 2;  // 1 is the tick of everything older
  tick_ = launch_ = barrier_ = now;
  block_ = 1;
  clocks_.begin_launch();
  clocks_.begin_block(now);
  block_begins_.assign(1, {block_, block_number_});
  hook_state.launch = hook_state.barrier = hook_state.now = now << kTickShift;
  hook_state.block = block_ << kTickShift;
}

uint64_t Detector::block_at(uint64_t tick) const {
  const auto after = std::upper_bound(block_begins_.begin(), block_begins_.end(), tick,
                                      [](uint64_t t, const auto& begin) { return t < begin.first; });
  return after == block_begins_.begin() ? 0 : (after - 1)->second;
}

// The entries of modules.

void check_access(uintptr_t address, size_t bytes, Access access, const void* pc, uint32_t thread) {
  current_detector->check({.address = address, .bytes = bytes, .access = access, .pc = pc, .me = thread});
}

// The switched thread counts as one whose atomics changed something, so that nobody takes it for a spinning one.
bool time_to_switch() {
  if (current_detector == nullptr || !current_detector->time_to_switch()) return false;
  block.atomics_changed = true;
  return true;
}

void check_atomic(const void* address, size_t bytes, AtomicKind kind, const Fiber* me) {
  if (current_detector == nullptr) return;
  current_detector->check({.address = reinterpret_cast<uintptr_t>(address),
                           .bytes = bytes,
                           .access = Access::atomic,
                           .reads_value = kind != AtomicKind::exchange,
                           .compares = kind == AtomicKind::compare_and_swap,
                           .pc = __builtin_return_address(0),
                           .me = number_of(me)});
}

void check_fence(const Fiber* me) {
  if (current_detector != nullptr) current_detector->fence(number_of(me));
}

namespace {

// What the compiler passes to the handlers of -fsanitize=bounds and alignment.
struct SourceLocation {
  const char* file;
  uint32_t line, column;
};
struct TypeDescription {
  uint16_t kind, info;
  char name[1];  // as long as it is
};
struct OutOfBoundsData {
  SourceLocation location;
  const TypeDescription* array;
  const TypeDescription* index;
};
struct TypeMismatchData {
  SourceLocation location;
  const TypeDescription* type;
  unsigned char alignment_log2;
  unsigned char check;
};

}  // namespace

void index_out_of_bounds(const void* data, uint64_t index, const void* pc, uint32_t thread) {
  current_detector->index_out_of_bounds(pc, thread, static_cast<const OutOfBoundsData*>(data)->array->name, index);
}

void pointer_misaligned(const void* data, uintptr_t pointer, const void* pc, uint32_t thread) {
  const auto& mismatch = *static_cast<const TypeMismatchData*>(data);
  current_detector->pointer_misaligned({.address = pointer,
                                        .bytes = size_t{1} << mismatch.alignment_log2,
                                        .access = mismatch.check == 1 ? Access::write : Access::read,
                                        .pc = pc,
                                        .me = thread},
                                       mismatch.type->name);
}

}  // namespace assay::simt::checked

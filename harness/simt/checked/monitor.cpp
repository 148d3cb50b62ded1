// Follows a launch: time, blocks, barriers, and who listens.
#include "harness/simt/checked/monitor.h"

#include <algorithm>
#include <utility>

#include "harness/simt/checked/hook_entries.h"
#include "harness/simt/runtime/check.h"
#include "harness/simt/runtime/ring.h"
#include "harness/simt/sieve/sieve.h"

namespace assay::simt {

Checker::Checker(const Checks& checks) : monitor_(new checked::Monitor(checks)) {}
Checker::~Checker() {
  sieve::end_case();
  delete monitor_;
}
void* Checker::bind(const Buffer& buffer, const void* values) { return monitor_->arena.place(buffer, values); }
bool Checker::reserve(size_t buffers, size_t buffer_bytes) { return monitor_->arena.reserve(buffers, buffer_bytes); }
void Checker::release_buffers() {
  sieve::end_case();
  monitor_->arena.clear();
}
void Checker::host_wrote(const void* begin, size_t bytes) {
  monitor_->arena.host_wrote(reinterpret_cast<uintptr_t>(begin), bytes);
}
void Checker::want_footprints() { monitor_->footprint.is_wanted = true; }
Footprint Checker::take_footprint() { return monitor_->footprint.take(); }
std::vector<std::string> Checker::take_hints() { return std::exchange(monitor_->hints, {}); }

}  // namespace assay::simt

namespace assay::simt::checked {
namespace {

bool names(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

void check_known(const std::vector<std::string>& list) {
  for (const std::string& name : list)
    SIMT_CHECK(std::any_of(detector_kinds().begin(), detector_kinds().end(),
                           [&](const DetectorKind& kind) { return kind.name == name; }),
               "no detector is called '" + name + "'");
}

// Ranges that hold nothing: every access goes the long way, where it can be counted.
void turn_fast_path_away(HookState& state) {
  state.shared = ~uintptr_t{0};
  state.shared_bytes = 1;
  state.arena_bytes = 0;
}

}  // namespace

Monitor::Monitor(const Checks& checks) {
  check_known(checks.off);
  check_known(checks.on);
  for (const DetectorKind& kind : detector_kinds())
    if (names(checks.on, kind.name) || (kind.by_default && !names(checks.off, kind.name)))
      listeners_.push_back({kind.events, kind.make(*this)});
}

void Monitor::subscribe(const LaunchInfo& info) {
  for (auto& hearing : hearing_) hearing.clear();
  for (const Active& active : listeners_) {
    if (!active.listener->wants(info)) continue;
    for (size_t event = 0; event < kEvents; ++event)
      if ((active.events >> event & 1) != 0) hearing_[event].push_back(active.listener.get());
  }
}

void Monitor::begin_launch(const Launch& shape, const Module& module, const char* kernel, uint64_t schedule,
                           AccessStatistics* statistics) {
  shared_ = &SharedMemory::of(module);
  note_constants(module);
  // Records of earlier launches, of this checker or of another, must all be older.
  time_.begin_launch(SharedMemory::last_tick);
  if (time_.now() > kTickMax / 2) forget_records();
  log_.begin_launch(kernel, shape.grid, shape.block);
  hints_.begin_launch(kernel, shape.grid, shape.block);
  switching_.begin_launch(schedule, uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z);
  records_.begin_launch();
  hook_state = {};
  shared_->enter(hook_state, shape.shared_bytes);
  arena.enter(hook_state);
  footprint.launch_begins();
  hook_state.stride_y = shape.block.x;
  hook_state.stride_z = shape.block.x * shape.block.y;
  const LaunchInfo info{.shape = shape, .kernel = kernel, .statistics = statistics};
  subscribe(info);
  if (hears(Event::every_access)) turn_fast_path_away(hook_state);
  for (Listener* l : hearing(Event::launch_begins)) l->launch_begins(info);
  watch(this);
}

// The next access of any thread comes the way of a switch, or the long way.
void Monitor::tell_when_stored() {
  if (asked_when_stored_) return;
  asked_when_stored_ = true;
  until_switch_ = std::exchange(hook_state.until_switch, 1);
}

void Monitor::settle_stores() {
  if (!asked_when_stored_) return;
  asked_when_stored_ = false;
  hook_state.until_switch = until_switch_;
  for (Listener* l : hearing(Event::stored)) l->stored();
}

void Monitor::tell_stored_equal(const Now& now, uint32_t earlier_thread, const std::string& values) {
  for (Listener* l : hearing(Event::stored_equal)) l->stored_equal(now, earlier_thread, values);
}

bool Monitor::time_to_switch() {
  if (asked_when_stored_) {
    settle_stores();
    if (--hook_state.until_switch != 0) return false;
  }
  return switching_.now(hook_state.until_switch);
}

void Monitor::end_block() {
  settle_stores();
  if (!std::exchange(in_block_, false)) return;
  for (Listener* l : hearing(Event::block_ends)) l->block_ends();
}

void Monitor::begin_block(uint64_t number) {
  end_block();
  in_block_ = true;
  advance();
  time_.begin_block(number);
  for (Listener* l : hearing(Event::block_begins)) l->block_begins(number);
  hook_state.until_switch = switching_.begin_block(number);
}

void Monitor::barrier_complete(const void* resume) {
  advance();
  time_.pass_barrier();
  for (Listener* l : hearing(Event::barrier)) l->barrier(resume);
}

void Monitor::warp_complete(const Warp& warp, uint32_t lanes) {
  advance();
  const uint32_t number = linear_index(warp.begin->thread_idx, block.block_dim) / kLanes;
  time_.meet(number, lanes, lanes == warp.live);
  for (Listener* l : hearing(Event::lanes_met)) l->lanes_met(number, lanes, lanes == warp.live);
}

void Monitor::meets(uint32_t thread, uintptr_t at) {
  const Now now{.address = at, .bytes = sizeof(uint64_t), .access = Access::atomic, .pc = nullptr, .me = thread};
  for (Listener* l : hearing(Event::atomic)) l->atomic(now);
  acquire(thread, Scope::device);
}

void Monitor::fence(uint32_t thread, Scope scope) {
  advance();
  for (Listener* l : hearing(Event::fence)) l->fence(thread, scope);
}

void Monitor::acquire(uint32_t thread, Scope scope) {
  for (Listener* l : hearing(Event::acquire)) l->acquire(thread, scope);
}

void Monitor::function_entered(uint32_t thread, const char* program) {
  for (Listener* l : hearing(Event::function_entered)) l->function_entered(thread, program);
}

void Monitor::block_passed(uint32_t thread, uint32_t number) {
  for (Listener* l : hearing(Event::block_passed)) l->block_passed(thread, number);
}

void Monitor::function_left(uint32_t thread) {
  for (Listener* l : hearing(Event::function_left)) l->function_left(thread);
}

void Monitor::end_footprint() {
  std::vector<std::pair<uintptr_t, const Cell*>> outside;
  if (footprint.is_on())
    for (const auto& [page, cells] : outside_pages_) outside.emplace_back(page << kPageShift, cells.get());
  std::ranges::sort(outside);
  footprint.launch_ends(time_.launch(), outside);
}

Findings Monitor::end_launch() {
  end_block();
  for (Listener* l : hearing(Event::launch_ends)) l->launch_ends();
  end_footprint();
  SharedMemory::last_tick = time_.now();
  watch(nullptr);
  hook_state = {};
  for (Finding& finding : hints_.take()) hints.push_back(std::move(finding.detail));
  return log_.take();
}

void Monitor::advance() {
  settle_stores();
  if (!time_.advance()) forget_records();
}

// Ticks are used up: start again, knowing only what is initialised. Races between accesses before and after this moment
// are missed, once in 67 million barriers.
void Monitor::forget_records() {
  arena.forget_records();
  shared_->forget_records(time_.block());
  outside_pages_.clear();
  byte_records_.reset();
  time_.restart();
  for (Listener* l : hearing(Event::time_restarts)) l->time_restarts();
}

void Monitor::describe(FindingLog& log, Kind kind, const Now& now, std::string what) {
  Report r{.kind = kind, .me = {}, .earlier = {}, .place = place(now), .what = std::move(what)};
  r.me = {.pc = now.pc, .access = now.access, .block = time_.block_number(), .thread = now.me};
  log.add(std::move(r));
}

void Monitor::hint(const Now& now, const std::string& what) {
  if (hints_.is_new(Kind::none, now.pc, nullptr)) describe(hints_, Kind::none, now, what);
}

}  // namespace assay::simt::checked

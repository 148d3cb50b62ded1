// Follows a checked launch and tells the detectors that listen to it (listener.h) what happens.
//
// monitor.cpp follows the launch, access.cpp decides where an access lies and whether it may, async_records.cpp follows
// cp.async, records.h remembers who accessed what. The hooks of a module do the usual case themselves (hooks.cpp);
// everything here gives the same answer, only slower. Detectors say what is wrong; none is known by name here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "harness/simt/checked/arena.h"
#include "harness/simt/checked/checker.h"
#include "harness/simt/checked/finding_log.h"
#include "harness/simt/checked/footprint_record.h"
#include "harness/simt/checked/listener.h"
#include "harness/simt/checked/records.h"
#include "harness/simt/checked/shared_memory.h"
#include "harness/simt/checked/switching.h"
#include "harness/simt/checked/timeline.h"

namespace assay::simt {
struct AsyncCopy;
struct Warp;
}  // namespace assay::simt

namespace assay::simt::checked {

class Monitor {
 public:
  explicit Monitor(const Checks& checks);

  // Called by the executor.
  // `statistics`: where to add up what the kernel does to memory; nullptr: nobody asks.
  void begin_launch(const Launch& shape, const Module& module, const char* kernel, uint64_t schedule,
                    AccessStatistics* statistics);
  bool time_to_switch();
  void begin_block(uint64_t number);
  void barrier_complete(const void* resume);  // where one of the threads goes on
  void warp_complete(const Warp& warp, uint32_t lanes);
  // The thread learns what others had done before their fences and told at this address, and tells what it had.
  void meets(uint32_t thread, uintptr_t at);
  Findings end_launch();

  // Called by the hooks (hook_entries.cpp).
  bool check(Now now);  // false: it lies where it may not
  bool check_copy(const Now& to, const Now& from, CopyKind kind);
  void index_out_of_bounds(const void* pc, uint32_t thread, const char* type, uint64_t index);
  void pointer_misaligned(Now now, const char* type);
  void fence(uint32_t thread, Scope scope = Scope::device);
  void acquire(uint32_t thread, Scope scope);
  void function_entered(uint32_t thread, const char* program);
  void block_passed(uint32_t thread, uint32_t number);
  void function_left(uint32_t thread);

  // Called by the device's heap (heap_memory.cpp).
  void heap_block_freed(const HeapBlock& block, const HeapBlock::Party& by);
  void bad_free(uintptr_t address, const HeapBlock* block, const HeapBlock::Party& by);
  void end_context(Findings& findings);

  // Called by the executor's own memory instructions. False: the copy cannot be made.
  void check_ldmatrix_row(const void* row, const void* pc, uint32_t thread);
  bool copy_begins(const AsyncCopy& copy, uint32_t thread);
  void copy_lands(const AsyncCopy& copy, uint32_t thread);
  bool hears(Event event) const { return !hearing(event).empty(); }

  // Called by detectors. Hooks come before their accesses: Listener::stored() comes after this one.
  void tell_when_stored();
  const Timeline& time() const { return time_; }
  FindingLog& log(Kind kind = Kind::crash) { return kind == Kind::none ? hints_ : log_; }  // of findings, or of hints
  // `what`: words, or a function that makes them. It is called for the first of equal findings, and there may be
  // millions.
  template <class Words>
  void report(Kind kind, const Now& now, const Words& what, const void* detail = nullptr) {
    if (!log_.is_new(kind, now.pc, nullptr, detail)) return;
    if constexpr (std::is_invocable_v<Words>)
      describe(log_, kind, now, what());
    else
      describe(log_, kind, now, what);
  }
  void hint(const Now& now, const std::string& what);  // changes no verdict
  void tell_stored_equal(const Now& now, uint32_t earlier_thread, const std::string& values);
  std::string place(const Now& now) const;  // "shared tile[33]", "dx[1024]"

  Arena arena;
  FootprintRecord footprint{arena};
  std::vector<std::string> hints;  // of all launches; the harness takes them

 private:
  struct Active {
    uint32_t events;
    std::unique_ptr<Listener> listener;
  };
  const std::vector<Listener*>& hearing(Event event) const { return hearing_[static_cast<size_t>(event)]; }
  void subscribe(const LaunchInfo& info);
  void advance();
  void settle_stores();
  void forget_records();
  void end_block();
  void end_footprint();
  // access.cpp
  enum class Verdict : uint8_t { watched, unwatched, stray };
  Verdict may(Now& now);
  Verdict may_in_shared(const Now& now);
  Verdict may_in_device(const Now& now);
  Verdict may_in_heap(const Now& now);
  Verdict may_outside(const Now& now);
  void look_at(const Now& now, Cell& cell);
  void look_at_half(Now now, uint64_t& word, unsigned shift);
  void look_at_records(const Now& now, Cell& cell, bool initialised = false);
  Cell& byte_cell(uintptr_t address);
  Cell& outside_cell(uintptr_t address);
  Space space_of(uintptr_t address) const;
  void describe(FindingLog& log, Kind kind, const Now& now, std::string what);
  // async_records.cpp
  bool check_space(Now now, bool shared, const char* instruction);

  std::vector<Active> listeners_;
  std::array<std::vector<Listener*>, kEvents> hearing_;  // of this launch
  Timeline time_;
  Records records_{arena, time_};
  SharedMemory* shared_ = nullptr;
  FindingLog log_, hints_;
  Switching switching_;
  bool in_block_ = false;
  bool asked_when_stored_ = false;
  uint32_t until_switch_ = 0;  // the hooks' own, while somebody has asked
  std::unordered_map<uintptr_t, std::unique_ptr<Cell[]>> outside_pages_;
  struct ByteRecord {
    uintptr_t address;
    Cell cell;
  };
  struct Freed {
    void operator()(ByteRecord* records) const { std::free(records); }
  };
  static constexpr size_t kByteRecords = size_t{1} << 22;
  std::unique_ptr<ByteRecord[], Freed> byte_records_;
};

}  // namespace assay::simt::checked

// The checks behind the hooks: what a launch tells them, and what they make of each access.
//
// detector.cpp follows the launch, access.cpp decides where an access lies and whether it may, word_records.cpp and
// half_records.cpp find races and reads of uninitialised memory, async_records.cpp follows cp.async, clocks.h knows
// what orders two accesses. The hooks of a module do the usual case themselves (hooks.cpp); everything here gives the
// same answer, only slower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/simt/checked/arena.h"
#include "harness/simt/checked/clocks.h"
#include "harness/simt/checked/finding_log.h"
#include "harness/simt/checked/shared_memory.h"
#include "harness/simt/checked/statistics.h"
#include "harness/simt/checked/switching.h"
#include "harness/simt/include/simt/checked_calls.h"
#include "harness/simt/include/simt/launch.h"

namespace assay::simt {
struct AsyncCopy;
struct Warp;
}  // namespace assay::simt

namespace assay::simt::checked {

enum class Space : uint8_t { shared, device, outside };

// The access that is being looked at.
struct Now {
  uintptr_t address = 0;  // of the whole access
  size_t bytes = 0;
  Access access = Access::read;
  bool reads_value = true;  // false: an exchange, which does not care what was there
  bool compares = false;    // a compare-and-swap
  const void* pc = nullptr;
  uint32_t me = 0;
  Space space = Space::outside;
  uintptr_t cell = 0;  // the address of the four bytes that are being looked at
};

class Detector {
 public:
  explicit Detector(const Checks& checks_to_make) : checks(checks_to_make) {}

  // What the executor tells.
  // `statistics`: where to add up what the kernel does to memory; nullptr: nobody asks.
  void begin_launch(const Launch& shape, const Module& module, const char* kernel, uint64_t schedule,
                    AccessStatistics* statistics);
  bool time_to_switch() { return switching_.now(hook_state.until_switch); }
  void begin_block(uint64_t number);
  void barrier_complete(const void* resume);  // where one of the threads goes on
  void warp_complete(const Warp& warp, uint32_t lanes);
  Findings end_launch();

  // What the hooks ask.
  void check(Now now);
  void index_out_of_bounds(const void* pc, uint32_t thread, const char* type, uint64_t index);
  void pointer_misaligned(Now now, const char* type);
  void fence(uint32_t thread);

  // What the executor's own memory instructions ask. False: the copy cannot be made.
  void check_ldmatrix_row(const void* row, const void* pc, uint32_t thread);
  bool copy_begins(const AsyncCopy& copy, uint32_t thread);
  void copy_lands(const AsyncCopy& copy, uint32_t thread);

  const Checks checks;
  Arena arena;

 private:
  // detector.cpp
  void advance();
  void forget_records();
  uint64_t block_at(uint64_t tick) const;
  // access.cpp
  bool may(Now& now);
  bool may_outside(const Now& now);
  void check_cell(const Now& now, Cell& cell, uint32_t byte_mask);
  Cell& outside_cell(uintptr_t address);
  void report(Kind kind, const Now& now, const std::string& what, const void* detail = nullptr);
  std::string place(const Now& now) const;
  // word_records.cpp
  void check_word(const Now& now, Cell& cell);
  bool comes_before(const Now& now, uint64_t record);
  bool ordered(const Now& now, uint64_t tick, uint32_t thread, bool many, bool wide, bool cross);
  bool is_uninitialised(const Now& now, uint64_t write) const;
  uint64_t merged(const Now& now, uint64_t old, uint64_t mine) const;
  uint64_t record(const Now& now) const;
  void report_uninitialised(const Now& now);
  void report_race(const Now& now, Party earlier, uint64_t tick);
  void report_race(const Now& now, Access earlier, uint64_t record);
  void add_race(const Now& now, const Party& earlier);
  void flush_suspects();
  const void* pc_of(const Now& now, uint64_t site) const;
  // async_records.cpp
  bool check_space(Now now, bool shared, const char* instruction);
  void check_copying(const Now& now, const Cell& cell);
  // half_records.cpp
  void check_half(const Now& now, uint64_t& word, uint32_t byte_mask);
  void split(const Now& now, Cell& cell);
  void unite(const Now& now, Cell& cell) const;
  uint32_t site_number(const void* pc);

  // A plain read of what others change by atomics: no mistake where it begins a loop of compare-and-swaps.
  struct Suspect {
    Now now;
    Party earlier;
  };

  SharedMemory* shared_ = nullptr;
  Clocks clocks_;
  FindingLog log_;
  std::unique_ptr<Statistics> statistics_;  // nullptr: nobody asks
  Switching switching_;
  Launch shape_;
  uint64_t tick_ = 1, barrier_ = 0, block_ = 0, launch_ = 0;
  uint64_t block_number_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> block_begins_;  // tick and block, of this launch
  std::vector<Suspect> suspects_;
  std::unordered_set<uintptr_t> compared_;  // addresses of compare-and-swaps of this launch
  std::unordered_map<uintptr_t, std::unique_ptr<Cell[]>> outside_pages_;
  std::vector<const void*> half_sites_ = {nullptr};
};

}  // namespace assay::simt::checked

// Access statistics of one launch: groups the accesses of single lanes into the requests of their warps, and adds up
// what each source line cost (harness/simt/checked/access_statistics.h).
//
// Threads run one after another, so a request comes in parts. Every lane keeps a list of what it did at each access
// since its warp was last together; the k-th entries of all lanes are one request. A warp is together at a barrier, at
// a warp operation of all its living lanes and at the end of the block. A warp operation of some lanes only brings the
// lists of these to one length. So the order in which threads run does not matter, and a loop in which lanes make
// different numbers of rounds is seen as a GPU runs it: the lanes that are done are inactive.
//
// Limits. An access is known by its return address: where the compiler makes two copies of one line for two sides of a
// branch, their lanes are two requests. Lanes that come to one access by different paths are counted as if they came
// together. Bytes that a cache would serve count every time. __constant__ memory counts as global memory. An atomic on
// a vector counts once for each element. The accesses of a spinning thread count as often as they happen here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/simt/checked/access_statistics.h"
#include "harness/simt/checked/hook_state.h"
#include "harness/simt/checked/request_figures.h"

namespace assay::simt::checked {

class __attribute__((visibility("default"))) Statistics {
 public:
  // Entries of all lists together, 128 MB.
  static constexpr size_t kEntriesMax = size_t{1} << 24;

  struct Block {
    uint32_t threads;
    size_t dynamic_shared_bytes = 0;
  };

  // The figures of the launch are added to `result` at its end.
  Statistics(AccessStatistics& result, const char* kernel, Block block, size_t entries_max = kEntriesMax);

  void begin_block(uint64_t number);
  void access(uint32_t thread, uintptr_t address, size_t bytes, Access access, bool is_shared, const void* pc);
  // Every thread of the block has come to the barrier after which it goes on at `resume`.
  void barrier(const void* resume);
  // These lanes have met in a warp operation; `all`: they are every living lane of the warp.
  void lanes_met(uint32_t warp, uint32_t lanes, bool all);
  void end_launch();

 private:
  static constexpr uint32_t kLanesOfWarp = 32;

  struct Key {  // where an atomic went; shared memory is another one in every block
    uintptr_t address;
    uint64_t block;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const { return std::hash<uint64_t>()(key.address * 31 + key.block); }
  };
  using Addresses = std::unordered_set<Key, KeyHash>;

  // An access of the kernel's code, to one kind of memory.
  struct Site {
    const void* pc;
    Access access;
    bool is_shared;
    AccessCounts counts;
    Addresses addresses;
  };
  // The accesses of one warp's lanes at one site: addresses and sizes, 0 for a round without it.
  struct Trace {
    std::array<std::vector<uint64_t>, kLanesOfWarp> lanes;
    bool open = false;
  };
  struct Warp {
    std::vector<std::unique_ptr<Trace>> traces;  // by site
    std::vector<uint32_t> open;                  // sites that have entries
    size_t entries = 0;
    bool closed_early = false;  // to save memory: it must not go on before it is together again
  };
  struct Line {
    AccessCounts counts;
    Addresses addresses;
  };

  uint32_t site_of(const void* pc, Access access, bool is_shared);
  void close(Warp& warp);
  void close_all();
  void count(Site& site, RequestFigures::Request request, uint32_t lanes_present);
  void make_room(const Warp& running);
  void give_up(const std::string& why);
  std::map<std::string, Line> by_line();

  AccessStatistics& result_;
  const std::string kernel_;
  const Block block_;
  const size_t entries_max_;
  std::vector<Warp> warps_;
  std::vector<Site> sites_;
  std::unordered_map<uint64_t, uint32_t> site_numbers_;
  std::array<std::pair<uint64_t, uint32_t>, 256> recent_sites_{};  // by the low bits of the key, in front of the map
  std::map<const void*, int64_t> barriers_;                        // by where the threads go on
  RequestFigures figures_;
  uint64_t block_number_ = 0;
  int64_t blocks_ = 0;
  size_t entries_ = 0;
};

}  // namespace assay::simt::checked

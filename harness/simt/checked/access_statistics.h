// Counts of a variant's accesses to memory: figures that say how a kernel would treat a GPU's memory system, from a
// run without one.
//
// A *request* is one execution of one access by the lanes of a warp, which is what a GPU's memory pipeline works on.
// All counts are whole numbers and sums over requests, so they do not depend on the order in which threads ran; figures
// are quotients of them. A figure is NaN where there was nothing to count.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/simt/checked/instruction_counts.h"

#pragma GCC visibility push(default)
namespace assay {

inline constexpr int64_t kSectorBytes = 32;  // what a GPU moves at least between its caches and its memory

// Requests to global memory.
struct SectorCounts {
  int64_t requests = 0;
  int64_t sectors = 0;  // distinct ones of each request, added up
  int64_t ideal = 0;    // what the distinct bytes of each request would fit into, added up

  bool operator==(const SectorCounts&) const = default;
};

struct AccessCounts {
  SectorCounts reads, writes;
  SectorCounts updates;           // atomics on global memory
  int64_t shared_requests = 0;    // atomics included
  int64_t bank_passes = 0;        // the conflict degrees of the requests to shared memory, added up
  int64_t bank_conflict_max = 0;  // the largest of them
  int64_t atomics = 0;            // of single lanes, on global and shared memory
  int64_t atomic_addresses = 0;   // that they hit; distinct within a launch, and in shared memory within a block
  int64_t contention_max = 0;     // most lanes of one request that hit one address
  int64_t barriers = 0;           // that blocks have passed
  int64_t lanes_active = 0;       // took part in requests of any sort
  int64_t lanes_present = 0;      // belong to the warps of these requests

  AccessCounts& operator+=(const AccessCounts& other);
  bool operator==(const AccessCounts&) const = default;
};

int64_t global_requests(const AccessCounts& counts);
int64_t bytes_read(const AccessCounts& counts);
int64_t bytes_written(const AccessCounts& counts);
int64_t bytes_moved(const AccessCounts& counts);  // read, written, and touched by atomics

struct LineCounts {
  std::string line;  // "softmax.cu:31"; "" when the module has no line table
  AccessCounts counts;
  InstructionCounts instructions = {};  // nothing where they are not counted
};

// All launches of one kernel.
struct KernelCounts {
  std::string kernel;
  int64_t launches = 0;
  int64_t blocks = 0;
  int64_t threads_per_block = 0;     // of the launch with the largest blocks; 0: not known
  int64_t dynamic_shared_bytes = 0;  // of a block, of the launch with most
  AccessCounts total;
  std::vector<LineCounts> lines;  // most bytes first, then most instructions
  int64_t warps = 0;              // that have run; 0: instructions are not counted
  InstructionCounts instructions = {};
};

// One run of a variant.
struct AccessStatistics {
  int64_t compulsory_bytes = 0;       // that any kernel must move (op/contract.h); 0: not known
  std::vector<KernelCounts> kernels;  // in the order of their first launches
  std::string incomplete;             // why not everything was counted; "" when it was
};

// The entry of a kernel or line, which is new where there was none.
KernelCounts& counts_of(AccessStatistics& run, const std::string& kernel);
LineCounts& line_of(KernelCounts& kernel, const std::string& line);
void sort_lines(KernelCounts& kernel);

// The figures by name, in the order of reports: of a run, of a kernel, of a line.
//   sectors_per_request        of 32 bytes, in global memory: 4 for 32 neighbouring floats, 32 for a column
//   ideal_sectors_per_request  what the bytes of these requests would fill
//   bytes_over_compulsory      sectors × 32 over the bytes that any kernel must move; without any cache
//   bank_conflict_degree       mean over the requests to shared memory; 1: no conflicts
//   atomics_per_address        atomics of single lanes over the distinct addresses that they hit
//   contention_max             most lanes of one request that hit one address
//   barriers_per_block
//   active_lanes               mean share of a warp's lanes that take part in a request; 1: no divergence
struct Figure {
  std::string_view name;
  double value;
};
using Figures = std::array<Figure, 8>;
Figures figures(const AccessStatistics& run);
Figures figures(const AccessStatistics& run, const KernelCounts& kernel);
Figures figures(const AccessStatistics& run, const KernelCounts& kernel, const LineCounts& line);
double figure(const Figures& figures, std::string_view name);  // NaN: there is nothing of the sort

}  // namespace assay
#pragma GCC visibility pop

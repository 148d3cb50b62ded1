// What a variant did to memory, counted: the figures that say how a kernel would treat a GPU's memory system, from a
// run without one.
//
// A *request* is one execution of one access by the lanes of a warp, which is what a GPU's memory pipeline works on.
// All counts are whole numbers and sums over requests, so they do not depend on the order in which threads ran; figures
// are quotients of them. A figure is NaN where there was nothing to count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

double sectors_per_request(const AccessCounts& counts);
double ideal_sectors_per_request(const AccessCounts& counts);
double bank_conflict_degree(const AccessCounts& counts);  // the mean over requests; 1: no conflicts
double atomics_per_address(const AccessCounts& counts);
double active_lanes(const AccessCounts& counts);  // of those that the warps of the requests have: 1 is no divergence

struct LineCounts {
  std::string line;  // "softmax.cu:31"; "" when the module has no line table
  AccessCounts counts;
};

// All launches of one kernel.
struct KernelCounts {
  std::string kernel;
  int64_t launches = 0;
  int64_t blocks = 0;
  AccessCounts total;
  std::vector<LineCounts> lines;  // most bytes first
};

double barriers_per_block(const KernelCounts& kernel);

// One run of a variant.
struct AccessStatistics {
  int64_t compulsory_bytes = 0;       // that any kernel must move (op/contract.h); 0: not known
  std::vector<KernelCounts> kernels;  // in the order of their first launches
  std::string incomplete;             // why not everything was counted; "" when it was
};

AccessCounts total(const AccessStatistics& statistics);
double barriers_per_block(const AccessStatistics& statistics);
// Where `bytes` are those of a kernel or of all of them.
double over_compulsory(const AccessStatistics& statistics, int64_t bytes);

}  // namespace assay

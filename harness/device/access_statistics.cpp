// Sums and quotients of access statistics.
#include "harness/device/access_statistics.h"

#include <algorithm>
#include <limits>

namespace assay {
namespace {

double quotient(int64_t part, int64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(part) / static_cast<double>(whole);
}

SectorCounts& operator+=(SectorCounts& sum, const SectorCounts& more) {
  sum.requests += more.requests;
  sum.sectors += more.sectors;
  sum.ideal += more.ideal;
  return sum;
}

}  // namespace

AccessCounts& AccessCounts::operator+=(const AccessCounts& other) {
  reads += other.reads;
  writes += other.writes;
  updates += other.updates;
  shared_requests += other.shared_requests;
  bank_passes += other.bank_passes;
  bank_conflict_max = std::max(bank_conflict_max, other.bank_conflict_max);
  atomics += other.atomics;
  atomic_addresses += other.atomic_addresses;
  contention_max = std::max(contention_max, other.contention_max);
  barriers += other.barriers;
  lanes_active += other.lanes_active;
  lanes_present += other.lanes_present;
  return *this;
}

int64_t global_requests(const AccessCounts& c) { return c.reads.requests + c.writes.requests + c.updates.requests; }
int64_t bytes_read(const AccessCounts& c) { return c.reads.sectors * kSectorBytes; }
int64_t bytes_written(const AccessCounts& c) { return c.writes.sectors * kSectorBytes; }
int64_t bytes_moved(const AccessCounts& c) {
  return bytes_read(c) + bytes_written(c) + c.updates.sectors * kSectorBytes;
}

double sectors_per_request(const AccessCounts& c) {
  return quotient(bytes_moved(c) / kSectorBytes, global_requests(c));
}
double ideal_sectors_per_request(const AccessCounts& c) {
  return quotient(c.reads.ideal + c.writes.ideal + c.updates.ideal, global_requests(c));
}
double bank_conflict_degree(const AccessCounts& c) { return quotient(c.bank_passes, c.shared_requests); }
double atomics_per_address(const AccessCounts& c) { return quotient(c.atomics, c.atomic_addresses); }
double active_lanes(const AccessCounts& c) { return quotient(c.lanes_active, c.lanes_present); }

double barriers_per_block(const KernelCounts& kernel) { return quotient(kernel.total.barriers, kernel.blocks); }

AccessCounts total(const AccessStatistics& statistics) {
  AccessCounts sum;
  for (const KernelCounts& kernel : statistics.kernels) sum += kernel.total;
  return sum;
}

double barriers_per_block(const AccessStatistics& statistics) {
  int64_t barriers = 0, blocks = 0;
  for (const KernelCounts& kernel : statistics.kernels) {
    barriers += kernel.total.barriers;
    blocks += kernel.blocks;
  }
  return quotient(barriers, blocks);
}

double over_compulsory(const AccessStatistics& statistics, int64_t bytes) {
  return quotient(bytes, statistics.compulsory_bytes);
}

}  // namespace assay

// Sums and quotients of access statistics.
#include "harness/simt/checked/access_statistics.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "harness/simt/runtime/check.h"

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

KernelCounts& counts_of(AccessStatistics& run, const std::string& kernel) {
  for (KernelCounts& known : run.kernels)
    if (known.kernel == kernel) return known;
  return run.kernels.emplace_back(KernelCounts{.kernel = kernel, .total = {}, .lines = {}});
}

LineCounts& line_of(KernelCounts& kernel, const std::string& line) {
  for (LineCounts& known : kernel.lines)
    if (known.line == line) return known;
  return kernel.lines.emplace_back(LineCounts{line, {}});
}

// Most bytes first, then most passes through the banks, then most instructions, then as in the file.
void sort_lines(KernelCounts& kernel) {
  const auto key = [](const LineCounts& line) {
    const size_t colon = line.line.rfind(':');
    return std::make_tuple(-bytes_moved(line.counts), -line.counts.bank_passes, -issued(line.instructions),
                           line.line.substr(0, colon), line.line.size() - std::min(colon, line.line.size()), line.line);
  };
  std::sort(kernel.lines.begin(), kernel.lines.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

int64_t global_requests(const AccessCounts& c) { return c.reads.requests + c.writes.requests + c.updates.requests; }
int64_t bytes_read(const AccessCounts& c) { return c.reads.sectors * kSectorBytes; }
int64_t bytes_written(const AccessCounts& c) { return c.writes.sectors * kSectorBytes; }
int64_t bytes_moved(const AccessCounts& c) {
  return bytes_read(c) + bytes_written(c) + c.updates.sectors * kSectorBytes;
}

namespace {

Figures figures_of(const AccessCounts& c, int64_t blocks, int64_t compulsory_bytes) {
  const int64_t sectors = bytes_moved(c) / kSectorBytes, ideal = c.reads.ideal + c.writes.ideal + c.updates.ideal;
  return {{{"sectors_per_request", quotient(sectors, global_requests(c))},
           {"ideal_sectors_per_request", quotient(ideal, global_requests(c))},
           {"bytes_over_compulsory", quotient(bytes_moved(c), compulsory_bytes)},
           {"bank_conflict_degree", quotient(c.bank_passes, c.shared_requests)},
           {"atomics_per_address", quotient(c.atomics, c.atomic_addresses)},
           {"contention_max", quotient(c.contention_max, c.atomics == 0 ? 0 : 1)},
           {"barriers_per_block", quotient(c.barriers, blocks)},
           {"active_lanes", quotient(c.lanes_active, c.lanes_present)}}};
}

}  // namespace

Figures figures(const AccessStatistics& run) {
  AccessCounts sum;
  int64_t blocks = 0;
  for (const KernelCounts& kernel : run.kernels) {
    sum += kernel.total;
    blocks += kernel.blocks;
  }
  return figures_of(sum, blocks, run.compulsory_bytes);
}

Figures figures(const AccessStatistics& run, const KernelCounts& kernel) {
  return figures_of(kernel.total, kernel.blocks, run.compulsory_bytes);
}

Figures figures(const AccessStatistics& run, const KernelCounts& kernel, const LineCounts& line) {
  return figures_of(line.counts, kernel.blocks, run.compulsory_bytes);
}

double figure(const Figures& figures, std::string_view name) {
  for (const Figure& f : figures)
    if (f.name == name) return f.value;
  SIMT_CHECK(false, "no figure '" + std::string(name) + "'");
}

}  // namespace assay

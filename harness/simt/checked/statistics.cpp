// Grouping and adding up; the figures of a single request are in request_figures.cpp.
#include "harness/simt/checked/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/simt/checked/source_lines.h"

namespace assay::simt::checked {
namespace {

// An entry of a list: addresses have 47 bits, and no access is longer than a few kilobytes.
constexpr unsigned kSizeBits = 16;
constexpr uint64_t kSizeMax = (uint64_t{1} << kSizeBits) - 1;

uint64_t entry(uintptr_t address, size_t bytes) { return address << kSizeBits | std::min<uint64_t>(bytes, kSizeMax); }

constexpr const char* kTooMany =
    "more accesses between two synchronisations than there is memory to keep; take a smaller case";

}  // namespace

Statistics::Statistics(AccessStatistics& result, const char* kernel, Block block, size_t entries_max)
    : result_(result),
      kernel_(kernel),
      block_(block),
      entries_max_(entries_max),
      warps_((block.threads + kLanesOfWarp - 1) / kLanesOfWarp) {}

void Statistics::begin_block(uint64_t number) {
  close_all();
  block_number_ = number;
  ++blocks_;
}

void Statistics::access(uint32_t thread, uintptr_t address, size_t bytes, Access access, bool is_shared,
                        const void* pc) {
  if (!result_.incomplete.empty()) return;
  Warp& warp = warps_[thread / kLanesOfWarp];
  if (warp.closed_early) return give_up(kTooMany);
  const uint32_t site = site_of(pc, access, is_shared);
  if (site >= warp.traces.size()) warp.traces.resize(site + 1);
  std::unique_ptr<Trace>& trace = warp.traces[site];
  if (trace == nullptr) trace = std::make_unique<Trace>();
  if (!trace->open) {
    trace->open = true;
    warp.open.push_back(site);
  }
  trace->lanes[thread % kLanesOfWarp].push_back(entry(address, bytes));
  ++warp.entries;
  if (access == Access::atomic) sites_[site].addresses.insert({address, is_shared ? block_number_ : 0});
  if (++entries_ >= entries_max_) make_room(warp);
}

void Statistics::barrier(const void* resume) {
  close_all();
  ++barriers_[resume];
}

void Statistics::lanes_met(uint32_t warp_number, uint32_t lanes, bool all) {
  Warp& warp = warps_[warp_number];
  if (all) return close(warp);
  for (const uint32_t site : warp.open) {
    auto& lists = warp.traces[site]->lanes;
    size_t longest = 0;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      longest = std::max(longest, lists[static_cast<size_t>(std::countr_zero(rest))].size());
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      lists[static_cast<size_t>(std::countr_zero(rest))].resize(longest);
  }
}

uint32_t Statistics::site_of(const void* pc, Access access, bool is_shared) {
  const uint64_t key = reinterpret_cast<uintptr_t>(pc) << 3 | static_cast<uint64_t>(access) << 1 | uint64_t{is_shared};
  auto& recent = recent_sites_[(key ^ key >> 8) % recent_sites_.size()];
  if (recent.first == key) return recent.second;
  const auto [known, is_new] = site_numbers_.try_emplace(key, static_cast<uint32_t>(sites_.size()));
  if (is_new) sites_.push_back({pc, access, is_shared, {}, {}});
  recent = {key, known->second};
  return known->second;
}

// Counts the requests of a warp that is together, and begins its lists anew.
void Statistics::close(Warp& warp) {
  const auto number = static_cast<uint32_t>(&warp - warps_.data());
  const uint32_t present = std::min<uint32_t>(kLanesOfWarp, block_.threads - number * kLanesOfWarp);
  std::array<LaneAccess, kLanesOfWarp> request;
  for (const uint32_t site : warp.open) {
    Trace& trace = *warp.traces[site];
    size_t rounds = 0;
    for (const auto& list : trace.lanes) rounds = std::max(rounds, list.size());
    for (size_t round = 0; round < rounds; ++round) {
      size_t active = 0;
      for (uint32_t lane = 0; lane < kLanesOfWarp; ++lane) {
        const uint64_t made = round < trace.lanes[lane].size() ? trace.lanes[lane][round] : 0;
        if (made != 0) request[active++] = {lane, made >> kSizeBits, static_cast<uint32_t>(made & kSizeMax)};
      }
      if (active != 0) count(sites_[site], {request.data(), active}, present);
    }
    for (auto& list : trace.lanes) list.clear();
    trace.open = false;
  }
  warp.open.clear();
  entries_ -= warp.entries;
  warp.entries = 0;
  warp.closed_early = false;
}

void Statistics::close_all() {
  for (Warp& warp : warps_) close(warp);
}

void Statistics::count(Site& site, RequestFigures::Request request, uint32_t lanes_present) {
  AccessCounts& counts = site.counts;
  const auto active = static_cast<int64_t>(request.size());
  counts.lanes_active += active;
  counts.lanes_present += lanes_present;
  if (site.access == Access::atomic) {
    counts.atomics += active;
    counts.contention_max = std::max(counts.contention_max, figures_.contention(request));
  }
  if (site.is_shared) {
    const int64_t degree = figures_.bank_conflict_degree(request);
    ++counts.shared_requests;
    counts.bank_passes += degree;
    counts.bank_conflict_max = std::max(counts.bank_conflict_max, degree);
    return;
  }
  const RequestFigures::Sectors sectors = figures_.sectors(request);
  SectorCounts& global = site.access == Access::read    ? counts.reads
                         : site.access == Access::write ? counts.writes
                                                        : counts.updates;
  ++global.requests;
  global.sectors += sectors.touched;
  global.ideal += sectors.ideal;
}

// Where warps run one after another, those that have run are as good as together. Should one go on after all, the
// figures would be wrong, and there are none (access()).
void Statistics::make_room(const Warp& running) {
  for (Warp& warp : warps_) {
    if (&warp == &running || warp.entries == 0) continue;
    close(warp);
    warp.closed_early = true;
  }
  if (entries_ >= entries_max_ / 2) give_up(kTooMany);
}

void Statistics::give_up(const std::string& why) {
  result_.incomplete = fmt::format("kernel {}: {}", kernel_, why);
  warps_ = std::vector<Warp>(warps_.size());
  entries_ = 0;
}

std::map<std::string, Statistics::Line> Statistics::by_line() {
  std::map<std::string, Line> lines;
  for (Site& site : sites_) {
    Line& line = lines[source_line(site.pc)];
    line.counts += site.counts;
    line.addresses.merge(site.addresses);
  }
  for (const auto& [resume, times] : barriers_) lines[source_line(resume)].counts.barriers += times;
  return lines;
}

void Statistics::end_launch() {
  close_all();
  KernelCounts& kernel = counts_of(result_, kernel_);
  ++kernel.launches;
  kernel.blocks += blocks_;
  kernel.threads_per_block = std::max<int64_t>(kernel.threads_per_block, block_.threads);
  kernel.dynamic_shared_bytes =
      std::max(kernel.dynamic_shared_bytes, static_cast<int64_t>(block_.dynamic_shared_bytes));
  Addresses all;
  for (auto& [name, line] : by_line()) {
    kernel.total += line.counts;
    line.counts.atomic_addresses = static_cast<int64_t>(line.addresses.size());
    line_of(kernel, name).counts += line.counts;
    all.merge(line.addresses);
  }
  kernel.total.atomic_addresses += static_cast<int64_t>(all.size());
  sort_lines(kernel);
}

}  // namespace assay::simt::checked

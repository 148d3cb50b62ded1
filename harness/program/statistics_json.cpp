// Access statistics as JSON: the names of the counts, once, for writing and reading.
#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/program/statistics_json.h"

namespace assay {
namespace {

using nlohmann::json;

// Calls visit(name, count) for each count of `counts`, which may be constant.
template <class Counts, class Visit>
void each_count(Counts& counts, const Visit& visit) {
  visit("read_requests", counts.reads.requests);
  visit("read_sectors", counts.reads.sectors);
  visit("read_ideal_sectors", counts.reads.ideal);
  visit("write_requests", counts.writes.requests);
  visit("write_sectors", counts.writes.sectors);
  visit("write_ideal_sectors", counts.writes.ideal);
  visit("atomic_requests", counts.updates.requests);
  visit("atomic_sectors", counts.updates.sectors);
  visit("atomic_ideal_sectors", counts.updates.ideal);
  visit("shared_requests", counts.shared_requests);
  visit("bank_passes", counts.bank_passes);
  visit("bank_conflict_max", counts.bank_conflict_max);
  visit("atomics", counts.atomics);
  visit("atomic_addresses", counts.atomic_addresses);
  visit("contention_max", counts.contention_max);
  visit("barriers", counts.barriers);
  visit("lanes_active", counts.lanes_active);
  visit("lanes_present", counts.lanes_present);
}

json json_of(const AccessCounts& counts) {
  json out = json::object();
  each_count(counts, [&](const char* name, int64_t count) {
    if (count != 0) out[name] = count;
  });
  return out;
}

AccessCounts counts_from(const json& in) {
  AccessCounts counts;
  each_count(counts, [&](const char* name, int64_t& count) { count = in.value(name, int64_t{0}); });
  return counts;
}

json json_of(const InstructionCounts& counts) {
  json out = json::object();
  for (size_t i = 0; i < kCounted; ++i)
    if (counts.of[i] != 0) out[std::string(name(static_cast<Counted>(i)))] = counts.of[i];
  if (counts.by_threads != 0) out["by_threads"] = counts.by_threads;
  return out;
}

// The counts of a kernel or a line; empty where it has none.
InstructionCounts instructions_from(const json& in) {
  InstructionCounts counts;
  if (!in.contains("instructions")) return counts;
  const json& all = in.at("instructions");
  for (size_t i = 0; i < kCounted; ++i)
    counts.of[i] = all.value(std::string(name(static_cast<Counted>(i))), int64_t{0});
  counts.by_threads = all.value("by_threads", int64_t{0});
  return counts;
}

json json_of(const Figures& figures) {
  json out = json::object();
  for (const auto& [name, value] : figures)
    if (!std::isnan(value)) out[std::string(name)] = value;
  return out;
}

json json_of(const AccessStatistics& run, const KernelCounts& kernel) {
  json out{{"kernel", kernel.kernel},        {"launches", kernel.launches},
           {"blocks", kernel.blocks},        {"figures", json_of(figures(run, kernel))},
           {"total", json_of(kernel.total)}, {"lines", json::array()}};
  if (kernel.threads_per_block != 0) out["threads_per_block"] = kernel.threads_per_block;
  if (kernel.dynamic_shared_bytes != 0) out["dynamic_shared_bytes"] = kernel.dynamic_shared_bytes;
  if (kernel.warps != 0) out["warps"] = kernel.warps;
  if (issued(kernel.instructions) != 0) out["instructions"] = json_of(kernel.instructions);
  for (const LineCounts& line : kernel.lines) {
    out["lines"].push_back({{"line", line.line}, {"counts", json_of(line.counts)}});
    if (issued(line.instructions) != 0) out["lines"].back()["instructions"] = json_of(line.instructions);
  }
  return out;
}

KernelCounts kernel_from(const json& in) {
  KernelCounts kernel{.kernel = in.at("kernel"),
                      .launches = in.at("launches"),
                      .blocks = in.at("blocks"),
                      .threads_per_block = in.value("threads_per_block", int64_t{0}),
                      .dynamic_shared_bytes = in.value("dynamic_shared_bytes", int64_t{0}),
                      .total = counts_from(in.at("total")),
                      .lines = {},
                      .warps = in.value("warps", int64_t{0}),
                      .instructions = instructions_from(in)};
  for (const json& line : in.at("lines"))
    kernel.lines.push_back({line.at("line"), counts_from(line.at("counts")), instructions_from(line)});
  return kernel;
}

}  // namespace

void to_json(json& out, const AccessStatistics& statistics) {
  out = {{"compulsory_bytes", statistics.compulsory_bytes}, {"kernels", json::array()}};
  if (!statistics.incomplete.empty()) out["incomplete"] = statistics.incomplete;
  for (const KernelCounts& kernel : statistics.kernels) out["kernels"].push_back(json_of(statistics, kernel));
}

void from_json(const json& in, AccessStatistics& statistics) {
  statistics = {in.at("compulsory_bytes"), {}, in.value("incomplete", "")};
  for (const json& kernel : in.at("kernels")) statistics.kernels.push_back(kernel_from(kernel));
}

}  // namespace assay

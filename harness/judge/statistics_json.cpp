// The names of the counts, once, for writing and reading.
#include "harness/judge/statistics_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

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

json json_of(const KernelResources& resources) {
  return {{"capability", resources.capability},     {"registers", resources.registers},
          {"stack_bytes", resources.stack_bytes},   {"spill_bytes", resources.spill_bytes},
          {"shared_bytes", resources.shared_bytes}, {"source", resources.source}};
}

KernelResources resources_from(const std::string& kernel, const json& in) {
  return {.kernel = kernel,
          .capability = in.at("capability"),
          .registers = in.at("registers"),
          .stack_bytes = in.at("stack_bytes"),
          .spill_bytes = in.at("spill_bytes"),
          .shared_bytes = in.at("shared_bytes"),
          .source = in.at("source")};
}

AccessCounts counts_from(const json& in) {
  AccessCounts counts;
  size_t known = 0;
  each_count(counts, [&](const char* name, int64_t& count) {
    if (!in.contains(name)) return;
    count = in.at(name).get<int64_t>();
    ++known;
  });
  if (known != in.size()) throw json::other_error::create(501, "an unknown count in access statistics", nullptr);
  return counts;
}

json json_of(const Figures& figures) {
  json out = json::object();
  for (const auto& [name, value] : figures)
    if (!std::isnan(value)) out[std::string(name)] = value;
  return out;
}

}  // namespace

json to_json(const AccessStatistics& statistics) {
  json out{{"compulsory_bytes", statistics.compulsory_bytes},
           {"figures", json_of(figures(statistics))},
           {"kernels", json::array()}};
  if (!statistics.incomplete.empty()) out["incomplete"] = statistics.incomplete;
  for (const KernelCounts& kernel : statistics.kernels) {
    json lines = json::array();
    for (const LineCounts& line : kernel.lines)
      lines.push_back({{"line", line.line}, {"counts", json_of(line.counts)}});
    out["kernels"].push_back({{"kernel", kernel.kernel},
                              {"launches", kernel.launches},
                              {"blocks", kernel.blocks},
                              {"figures", json_of(figures(statistics, kernel))},
                              {"total", json_of(kernel.total)},
                              {"lines", lines}});
    json& written = out["kernels"].back();
    if (kernel.threads_per_block != 0) written["threads_per_block"] = kernel.threads_per_block;
    if (kernel.dynamic_shared_bytes != 0) written["dynamic_shared_bytes"] = kernel.dynamic_shared_bytes;
    if (kernel.resources) written["resources"] = json_of(*kernel.resources);
  }
  return out;
}

AccessStatistics statistics_from_json(const json& in) {
  AccessStatistics statistics{.compulsory_bytes = in.at("compulsory_bytes"), .kernels = {}, .incomplete = {}};
  if (const auto found = in.find("incomplete"); found != in.end()) statistics.incomplete = *found;
  for (const json& kernel : in.at("kernels")) {
    KernelCounts& read = statistics.kernels.emplace_back(KernelCounts{.kernel = kernel.at("kernel"),
                                                                      .launches = kernel.at("launches"),
                                                                      .blocks = kernel.at("blocks"),
                                                                      .total = counts_from(kernel.at("total")),
                                                                      .lines = {}});
    read.threads_per_block = kernel.value("threads_per_block", int64_t{0});
    read.dynamic_shared_bytes = kernel.value("dynamic_shared_bytes", int64_t{0});
    if (const auto found = kernel.find("resources"); found != kernel.end())
      read.resources = resources_from(read.kernel, *found);
    for (const json& line : kernel.at("lines")) read.lines.push_back({line.at("line"), counts_from(line.at("counts"))});
  }
  return statistics;
}

}  // namespace assay

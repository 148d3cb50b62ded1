// Times from counts.
#include "harness/bench/counted_bound.h"

#include <algorithm>
#include <map>

namespace assay {
namespace {

constexpr double kLanes = 32;

// Clocks that all the kernel's work takes of one multiprocessor, by what executes it.
std::map<std::string, double> clocks_of(const KernelCounts& kernel, const GpuModel& gpu) {
  std::map<std::string, double> clocks;
  const InstructionCounts& counts = kernel.instructions;
  double slots = 0;
  for (size_t i = 0; i < kCounted; ++i) {
    const double lanes = i < kInstructionClasses ? kLanes : 1;
    if (gpu.per_clock[i] > 0)
      clocks[std::string(name(static_cast<Counted>(i)))] = lanes * static_cast<double>(counts.of[i]) / gpu.per_clock[i];
  }
  for (const Counted of : {Counted::fp32, Counted::fp16, Counted::fp64, Counted::tensor, Counted::special,
                           Counted::shuffle, Counted::shared, Counted::global, Counted::local, Counted::barrier})
    slots += static_cast<double>(counts[of]);
  clocks["issue"] = slots / gpu.warps_issued_per_clock;
  clocks["load/store"] =
      static_cast<double>(counts[Counted::shared] + counts[Counted::global] + counts[Counted::local]);
  clocks["shared"] = static_cast<double>(kernel.total.bank_passes);
  return clocks;
}

}  // namespace

CountedBound counted_bound(const AccessStatistics& run, const GpuModel& gpu) {
  CountedBound bound;
  if (!run.incomplete.empty()) return bound;
  std::map<std::string, double> us;
  for (const KernelCounts& kernel : run.kernels) {
    if (issued(kernel.instructions) == 0) return {};
    const double multiprocessors = static_cast<double>(std::min<int64_t>(gpu.multiprocessors, kernel.blocks));
    double slowest = 0;
    for (const auto& [of, clocks] : clocks_of(kernel, gpu)) {
      const double time = clocks / multiprocessors / gpu.mhz;
      us[of] += time;
      slowest = std::max(slowest, time);
    }
    bound.us += slowest;
  }
  us["dram"] = static_cast<double>(run.compulsory_bytes) / gpu.dram_bytes_per_s * 1e6;
  bound.us = std::max(bound.us, us["dram"]);
  if (run.kernels.empty()) return {};
  for (const auto& [of, time] : us)
    if (time > 0) bound.ceilings.push_back({of, time});
  std::ranges::stable_sort(bound.ceilings, [](const Ceiling& a, const Ceiling& b) { return a.us > b.us; });
  return bound;
}

}  // namespace assay

// Figures of samples.
#include "harness/bench/figures.h"

#include <fmt/format.h>

#include "harness/bench/estimates.h"
#include "harness/op/registry.h"

namespace assay::bench {

void add_figures(ResultRow& row, const Cost& cost, const Roofs& roofs) {
  const std::vector<TimingSample>& samples = row.timing->samples;
  const std::vector<double> us = kept_us(samples);
  FigureValues& figures = row.figures;
  figures["samples"] = static_cast<double>(us.size());
  figures["discarded"] = static_cast<double>(samples.size() - us.size());
  const Estimate estimate = time_over_processes(samples);
  const double median_us = figures["median_us"] = estimate.value;
  figures["low_us"] = estimate.interval.low;
  figures["high_us"] = estimate.interval.high;
  figures["noise"] = noise(estimate);
  figures["median_cycles"] = median_cycles(samples);
  if (!(median_us > 0)) return;
  if (const size_t processes = processes_of(samples); processes < kProcessesMin)
    row.hints.push_back(
        fmt::format("no interval: {} of {} processes that one needs have samples", processes, kProcessesMin));
  if (const auto [low, high] = clocks_of_processes(samples); high > low * (1 + kClockSpread))
    row.hints.push_back(
        fmt::format("its processes met clocks of {:.0f} to {:.0f} MHz, and another may meet either: an interval of few "
                    "processes does not hold both; compare median_cycles, or take more with --processes",
                    low, high));
  figures["gb_per_s"] = cost.bytes / median_us * 1e6 / 1e9;
  if (cost.flops > 0) figures["tflop_per_s"] = cost.flops / median_us * 1e6 / 1e12;
  if (const Bound bound = bound_of(cost, roofs); !bound.roof.empty()) {
    row.timing->roof = bound.roof;
    figures["of_roof"] = bound.time_us / median_us;
  }
}

void compare_with_vendors(const std::vector<ResultRow*>& rows, const std::vector<const Variant*>& variants) {
  const ResultRow* vendor = nullptr;
  for (size_t i = 0; i < rows.size(); ++i)
    if (const Contract* op = find_op(variants[i]->op); op && rows[i]->timing)
      rows[i]->timing->no_library = op->no_library;
  for (size_t i = 0; i < rows.size(); ++i)
    if (!variants[i]->vendor.empty() && rows[i]->verdict == Kind::pass)
      if (!vendor || rows[i]->figures["median_us"] < vendor->figures["median_us"]) vendor = rows[i];
  if (!vendor) return;
  for (size_t i = 0; i < rows.size(); ++i) {
    ResultRow& row = *rows[i];
    if (!variants[i]->vendor.empty() || row.verdict != Kind::pass) continue;
    const Estimate ratio = ratio_over_processes(vendor->timing->samples, row.timing->samples);
    row.timing->vendor = vendor->id();
    row.figures["speedup"] = ratio.value;
    row.figures["speedup_low"] = ratio.interval.low;
    row.figures["speedup_high"] = ratio.interval.high;
  }
}

}  // namespace assay::bench

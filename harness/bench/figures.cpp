// Figures of samples.
#include "harness/bench/figures.h"

#include "harness/bench/estimates.h"

namespace assay::bench {

void add_figures(ResultRow& row, const Cost& cost, const Roofs& roofs) {
  const std::vector<TimingSample>& samples = row.timing->samples;
  const std::vector<double> us = kept_us(samples);
  FigureValues& figures = row.figures;
  figures["samples"] = static_cast<double>(us.size());
  figures["discarded"] = static_cast<double>(samples.size() - us.size());
  const double median_us = figures["median_us"] = median(us);
  const Interval interval = median_interval(us);
  figures["low_us"] = interval.low;
  figures["high_us"] = interval.high;
  figures["noise"] = noise(us);
  figures["median_cycles"] = median_cycles(samples);
  if (!(median_us > 0)) return;
  figures["gb_per_s"] = cost.bytes / median_us * 1e6 / 1e9;
  if (cost.flops > 0) figures["tflop_per_s"] = cost.flops / median_us * 1e6 / 1e12;
  if (const Bound bound = bound_of(cost, roofs); !bound.roof.empty()) {
    row.timing->roof = bound.roof;
    figures["of_roof"] = bound.time_us / median_us;
  }
}

void compare_with_vendor(ResultRow& row, const ResultRow& vendor, uint64_t seed) {
  const Ratio ratio = ratio_of_medians(vendor.timing->samples, row.timing->samples, seed);
  row.timing->vendor = vendor.id();
  row.figures["speedup"] = ratio.value;
  row.figures["speedup_low"] = ratio.interval.low;
  row.figures["speedup_high"] = ratio.interval.high;
}

}  // namespace assay::bench

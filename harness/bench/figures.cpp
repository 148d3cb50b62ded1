// Figures of samples.
#include "harness/bench/figures.h"

#include <utility>

#include "harness/bench/estimates.h"

namespace assay::bench {

Timing figures_of(std::vector<TimingSample> samples, const std::string& end, const Cost& cost, const Roofs& roofs,
                  const std::string& gpu) {
  const std::vector<double> us = kept_us(samples);
  Timing timing;
  timing.gpu = gpu;
  timing.end = end;
  timing.median_us = median(us);
  const Interval interval = median_interval(us);
  timing.low_us = interval.low;
  timing.high_us = interval.high;
  timing.noise = noise(us);
  timing.median_cycles = median_cycles(samples);
  timing.samples = std::move(samples);
  if (!(timing.median_us > 0)) return timing;
  timing.gb_per_s = cost.bytes / timing.median_us * 1e6 / 1e9;
  if (cost.flops > 0) timing.tflop_per_s = cost.flops / timing.median_us * 1e6 / 1e12;
  if (const Bound bound = bound_of(cost, roofs); !bound.roof.empty()) {
    timing.roof = bound.roof;
    timing.of_roof = bound.time_us / timing.median_us;
  }
  return timing;
}

void compare_with_vendor(Timing& timing, const std::string& vendor, const Timing& vendor_timing, uint64_t seed) {
  const Ratio ratio = ratio_of_medians(vendor_timing.samples, timing.samples, seed);
  timing.vendor = vendor;
  timing.speedup = ratio.value;
  timing.speedup_low = ratio.interval.low;
  timing.speedup_high = ratio.interval.high;
}

}  // namespace assay::bench

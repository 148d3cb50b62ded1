// The figures of a candidate's samples: what a Timing holds besides them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/bench/roofs.h"
#include "harness/device/timing.h"

namespace assay::bench {

// Everything of a Timing that follows from its own samples; `end` as sample() has it. Verified and vendor are left.
Timing figures_of(std::vector<TimingSample> samples, const std::string& end, const Cost& cost, const Roofs& roofs,
                  const std::string& gpu);

// Fills in how many times faster `timing` is than the vendor's, which was measured interleaved with it.
void compare_with_vendor(Timing& timing, const std::string& vendor, const Timing& vendor_timing, uint64_t seed);

}  // namespace assay::bench

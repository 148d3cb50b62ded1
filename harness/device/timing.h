// How long a variant takes on a GPU in one case: what `assay bench` measures, and result rows carry.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace assay {

// One timed run, in the order of measuring.
struct TimingSample {
  double us = 0;           // microseconds
  double sm_mhz = 0;       // clock of the multiprocessors around the run; 0: unknown
  bool discarded = false;  // the clock was throttled: in no figure below
};

// The figures are of the samples that were not discarded. NaN: there is none.
struct Timing {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  std::string gpu;           // "NVIDIA H200"
  double median_us = kNone;  // with the 95 % interval of the median
  double low_us = kNone;
  double high_us = kNone;
  double noise = kNone;          // half the interval over the median
  double median_cycles = kNone;  // of the multiprocessors, each run at its own clock
  double gb_per_s = kNone;       // compulsory bytes over the median, 10^9 bytes
  double tflop_per_s = kNone;    // the contract's operations over the median
  std::string roof;              // what bounds it: "copy 4.31 TB/s", "bf16 GEMM 792 TFLOP/s", as measured in this run
  double of_roof = kNone;        // the share of that roof, 1 is all of it
  std::string vendor;            // the variant that it was interleaved with: "op/cublas_geam"; empty: none
  double speedup = kNone;        // the vendor's time over this one, with its 95 % interval: 2 is twice as fast
  double speedup_low = kNone;
  double speedup_high = kNone;
  bool verified = false;  // outputs of timed runs were judged, and right
  std::string end;        // why sampling ended: "noise" (small enough), "budget", "samples" (enough) or "throttled"
  std::vector<TimingSample> samples;
};

// What bounds every kernel on this GPU, as measured in the run itself, and what its maker says is possible.
struct Roof {
  std::string name;  // "copy", "bf16 GEMM"
  std::string unit;  // "TB/s", "TFLOP/s"
  double measured = 0;
  double physical = 0;  // of the datasheet or from clocks and widths; a time above it is TIMING_SUSPECT; 0: unknown
};

}  // namespace assay

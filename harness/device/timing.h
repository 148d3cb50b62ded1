// How long a variant takes on a GPU in one case: what `assay bench` measures, and result rows carry.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace assay {

inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();  // and for figures of times

// One timed run, in the order of measuring.
struct TimingSample {
  double us = 0;           // microseconds
  double sm_mhz = 0;       // clock of the multiprocessors around the run; 0: unknown
  bool discarded = false;  // the clock was throttled: in no figure
  int process = 0;         // of those that measured the case, from 0: samples of one share what a process fixes
};

// How the times of a row were taken; its figures are of the samples that were not discarded.
struct Timing {
  std::string gpu;        // "NVIDIA H200"
  std::string roof;       // what bounds it: "copy 4.31 TB/s", "bf16 GEMM 792 TFLOP/s", as measured in this run
  std::string vendor;     // the variant that it was interleaved with: "op/cublas_geam"; empty: none
  bool verified = false;  // outputs of timed runs were judged, and right
  std::string end;        // why sampling ended: "noise" (small enough), "budget", "samples" (enough) or "throttled"
  std::vector<TimingSample> samples;
  std::string no_library = {};  // why there is none, as the op's contract says
};

// A bound of every kernel on this GPU, as measured in the run itself, and the maker's figure.
struct Roof {
  std::string name;  // "copy", "read", "bf16 GEMM"; "empty region"
  std::string unit;  // "TB/s", "TFLOP/s"; "us"
  double measured = 0;
  double physical = 0;     // of the datasheet or from clocks and widths; a time above it is TIMING_SUSPECT; 0: unknown
  std::string means = {};  // what was fastest of all that was tried: "a kernel of 16-byte accesses"; empty: one was
};

}  // namespace assay

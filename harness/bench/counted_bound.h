// The least time that a run takes on a GPU, from counts made without one: a roofline with a ceiling for each unit of
// the GPU that may be the bottleneck.
//
// It is a bound and no estimate. Each ceiling is the time of one unit alone, at the highest clock, perfectly spread
// over the multiprocessors that the blocks can fill, with every cache right and no latency; the bound does not
// model how these overlap. A kernel close to one of its ceilings is bound by it; one far above all of them waits for
// something.
//
// Instructions that ptxas may merge or drop bound nothing: integer arithmetic, conversions, branches and moves take no
// slots here. PTX's own floating-point instructions, accesses and barriers do; ptxas contracts a mul and an add that
// say no rounding only where nvcc has not, and a division, which becomes many instructions, counts as one.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/gpu_models.h"
#include "harness/simt/checked/access_statistics.h"

namespace assay {

struct Ceiling {
  std::string of;  // "fp32", "issue", "dram"
  double us = 0;   // microseconds
};

struct CountedBound {
  double us = 0;  // of the whole run: kernels run one after the other, each as long as its slowest ceiling
  std::vector<Ceiling> ceilings;  // of all kernels together, the slowest first; none is 0
};

// Ceilings: issue slots; fp32, fp16, fp64, special, shuffle and tensor_TYPE pipes; "load/store", accesses of warps;
// "shared", passes through its banks, conflicts included; "dram", the compulsory bytes of the run. Nothing where
// instructions were not counted, or not everything was.
CountedBound counted_bound(const AccessStatistics& run, const GpuModel& gpu);

}  // namespace assay

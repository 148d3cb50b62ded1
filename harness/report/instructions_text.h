// Counts of instructions as plain text: what warps issue, and how long that takes a GPU at least.
#pragma once

#include <string>

#include "harness/bench/gpu_models.h"
#include "harness/simt/checked/access_statistics.h"

namespace assay {

// "    instructions: 1,536 by 32 warps, 48 each: integer 20, fp32 12, …; 31.5 lanes of 32\n"; "" where none are
// counted.
std::string instructions_text(const KernelCounts& kernel);

// A line for each source line, most instructions first, with what a warp issues there; "" as above.
std::string instruction_table(const KernelCounts& kernel);

// "    bound: 12.3 us on H100 SXM: fp32 12.3, issue 9.8, dram 4 (compulsory bytes); it is a bound, no estimate\n"; ""
// where instructions are not counted.
std::string bound_text(const AccessStatistics& run, const GpuModel& gpu);

// Says how instructions are counted, where those of some kernel are not; "" where all are.
std::string uncounted_text(const AccessStatistics& run);
inline constexpr const char* kHowToCount =
    "Instructions are counted of kernels that come by PTX: assay check FILE.cu --via ptx --stats\n";

}  // namespace assay

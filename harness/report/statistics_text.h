// Access statistics as tables of plain text.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/gpu_models.h"
#include "harness/result/row.h"

namespace assay {

// `gpu`: which bounds are of, where instructions are counted (instructions_text.h).

// One run in full: a paragraph for each kernel, and a line for each source line, most bytes first.
std::string line_tables(const AccessStatistics& statistics, const GpuModel& gpu = gpu_model(kDefaultGpuModel));

// Many runs in short: a line for each kernel in the largest case of each variant and dtype (summary.h). "" when nothing
// was counted.
std::string kernel_table(const std::vector<ResultRow>& rows, const GpuModel& gpu = gpu_model(kDefaultGpuModel));

// The same for a single row, without the heading: a line for each kernel, and below it what ptxas reports of it, where
// its resources are known.
std::string kernel_heading();
std::string kernel_rows(const ResultRow& row, const GpuModel& gpu);  // which has statistics

}  // namespace assay

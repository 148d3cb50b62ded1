// Measuring in a process of its own, a fresh one for each case: a crash or a hang in a timed run costs that case only,
// and what one case leaves behind on the GPU is no part of the next one's times.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/bench/measure.h"

namespace assay {

// The main function of the process, which a hidden command of assay starts: answers a request in JSON on standard
// output, and returns the exit code.
int measuring_main(const std::string& request);

struct MeasuringOptions {
  std::string program = "/proc/self/exe";  // an assay binary
  std::chrono::duration<double> limit{60};
  const std::atomic<bool>* stop = nullptr;  // Ctrl-C
};

// Measures the roofs of the GPU (roofs.h).
Result<MeasuredRoofs> measure_roofs_in_process(const MeasureOptions& options, const MeasuringOptions& how);

// measure_case() in a process. A row for each candidate, in their order. Where the process ends before it has answered,
// the candidate that ran then is a CRASH or TIMEOUT, and the others are to be measured again without it; all are one
// where none had begun. Nothing when it was stopped.
std::vector<MeasuredRow> measure_case_in_process(const Case& c, const std::vector<const Variant*>& candidates,
                                                 const Roofs& roofs, const MeasureOptions& options,
                                                 const MeasuringOptions& how);

}  // namespace assay

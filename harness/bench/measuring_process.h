// Measuring in a process of its own, for a few cases one after the other. A crash or a hang in a timed run costs its
// candidate; what was not measured then is left for another process.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/bench/measure.h"
#include "harness/bench/processes.h"

namespace assay {

// The main function of the process, which a hidden command of assay starts: answers a request in JSON on standard
// output, and returns the exit code.
int measuring_main(const std::string& request);

struct MeasuringOptions {
  std::string program = "/proc/self/exe";        // an assay binary
  std::chrono::duration<double> limit{60};       // of a case, and of the roofs
  std::chrono::duration<double> plan_limit{20};  // of a library's plan (vendor_libraries.h), in the case's first run
  const std::atomic<bool>* stop = nullptr;       // Ctrl-C
};

// Measures the roofs of the GPU (roofs.h).
Result<MeasuredRoofs> measure_roofs_in_process(const MeasureOptions& options, const MeasuringOptions& how);

// measure_case() of each contest, in one process; the limit is that of each. Where the process ends before it has
// answered, the candidate that ran then is a CRASH or TIMEOUT (all of its contest are, where none had begun), and the
// others are to be measured again without it. A candidate whose library does not end its plan is SKIPPED. Nothing when
// it was stopped.
OfContests<MeasuredRow> measure_in_process(const std::vector<Contest>& contests, const Roofs& roofs,
                                           const MeasureOptions& options, const MeasuringOptions& how);

}  // namespace assay

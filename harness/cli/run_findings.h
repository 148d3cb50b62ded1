// The findings of a program under `assay run`, as its processes have left them, and as JUnit for CI.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/simt/checked/access_statistics.h"

namespace assay {

struct RunFinding {
  std::string kind, detail, where;  // "RACE"; a sentence; the launch or call
};

// Those in FOLDER/findings.jsonl, one for each kind and place of a process; what is no line of JSON is passed over.
std::vector<RunFinding> run_findings(const std::string& folder);

// Whether a process has called anything of CUDA that is answered; if none has, nothing was checked.
bool uses_cuda(const std::string& folder);

// Whether a process has captured a launch.
bool has_captured(const std::string& folder);

// The launches of a kernel in all processes.
struct RunKernel {
  std::string kernel;
  int64_t launches = 0, left_out = 0;
  double seconds = 0;
};
std::vector<RunKernel> run_kernels(const std::string& folder);  // most time first

// Remarks that are no findings, each once: calls that are not supported, what ran unchecked.
std::vector<std::string> run_notes(const std::string& folder);

// The accesses and instructions of kernels, in all processes.
AccessStatistics run_statistics(const std::string& folder);

// "2 findings: 1 LEAK, 1 RACE"
std::string summary_of(const std::vector<RunFinding>& findings);

// Writes FOLDER/junit.xml: a test case for each finding, which failed, and one for the program itself, which failed
// where `code` is not 0. Errors: it cannot be written.
Result<void> write_junit(const std::string& folder, const std::string& program, int code,
                         const std::vector<RunFinding>& findings);

}  // namespace assay

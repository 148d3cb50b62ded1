// The input of a worker: a case, the device that runs it, and the optional parts of its row.
#pragma once

#include <string>

#include "harness/base/error.h"
#include "harness/case/case.h"
#include "harness/judge/judge.h"

namespace assay {

struct Task {
  Case c;
  std::string device;
  Extras extras = {};
};

// The line that a worker reads: "DEVICE [--stats] [--hints] [--undiagnosed] [--strict-barriers] [--printed]
// [--output-bits] CASE-LINE"; print(parse_task(s)) == s.
std::string print(const Task& task);
Result<Task> parse_task(std::string_view line);

// Which cases it is one of: those of the same variant, dtype and device.
std::string stream_of(const Task& task);

}  // namespace assay

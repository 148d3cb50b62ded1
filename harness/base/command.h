// Running another program to its end, without a shell: words stay words, whatever is in them.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "harness/base/process.h"

namespace assay {

struct RunOptions {
  std::string input = {};                                              // what it reads
  std::chrono::duration<double> limit = std::chrono::hours(24 * 365);  // on the clock; it is killed then
  // The end of its time, instead of the limit; on_output may put it off, for a process with one task after the other.
  const Process::Clock::time_point* deadline = nullptr;
  const std::atomic<bool>* stop = nullptr;  // it is killed soon after this turns true
  // Called when something has come on its standard output, to take of it what it likes.
  std::function<void(ProcessOutput& output)> on_output = {};
};

struct ProcessResult {
  enum class How : uint8_t { ended, timed_out, stopped };
  How how = How::ended;
  ProcessEnd end;
  std::string output, errors;  // of piped streams, what on_output has left
};

// Errors: those of Process::start.
Result<ProcessResult> run_process(ProcessSpec spec, const RunOptions& options = {});

}  // namespace assay

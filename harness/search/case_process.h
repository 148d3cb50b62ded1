// The process in which kernels run, as its supervisor sees it: start, give it a case, read the row or report how it
// ended. It is a copy of the supervisor, so starting another one after a crash costs a millisecond.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "harness/base/descriptor.h"
#include "harness/base/process.h"
#include "harness/search/printed.h"
#include "harness/search/task.h"

namespace assay {

class CaseProcess {
 public:
  using Seconds = std::chrono::duration<double>;

  CaseProcess() = default;
  ~CaseProcess() { end(); }
  CaseProcess(const CaseProcess&) = delete;
  CaseProcess& operator=(const CaseProcess&) = delete;

  // Runs a case to its row, as a line: the process's own, or CRASH when the process died of it, or TIMEOUT. The result
  // is empty when standard input was closed meanwhile: nobody waits for the row.
  std::optional<std::string> run(const Task& task, Seconds limit);

 private:
  void start();
  void end();  // with everything that the kernel started
  std::string crash(const Task& task);
  std::string time_out(const Task& task, const std::string& how);
  std::string ended(const Task& task, Kind kind, std::string detail, int lines, const char* hint = "");
  void read_output();
  void wait_for_output(std::chrono::milliseconds patience);
  void add_printed(const Task& task, ResultRow& row);

  std::optional<Process> process_;
  ProcessOutput rows_;
  Printed printed_;      // in this case
  int descriptor_ = -1;  // where the process sends its rows, by its own number
  Process::Clock::time_point started_;
};

}  // namespace assay

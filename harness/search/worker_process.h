// One worker process as its parent sees it: start, send a case, read rows, report how it ended.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "harness/base/process.h"
#include "harness/result/row.h"
#include "harness/search/task.h"

namespace assay {

class WorkerProcess {
 public:
  using Clock = std::chrono::steady_clock;

  // `number`: 0, 1, … among the workers of a pool; the worker sees it as ASSAY_WORKER.
  WorkerProcess(std::string program, int number);

  // Starts the process if none is running and sends it one task. Only when idle.
  void send(const Task& task, size_t index, std::chrono::duration<double> limit);
  bool busy() const { return current_.has_value(); }
  size_t index() const { return index_; }
  // When to ask over_limit() next.
  Clock::time_point deadline() const { return deadline_; }
  // Whether the case in flight has used up its limit: of the worker's own processor time, so that a busy machine makes
  // no timeouts; or kWallFactor times as much on the clock, for a kernel that sleeps. Moves the deadline when it has
  // not.
  bool over_limit();
  // Only when busy; -1 once the worker has closed it.
  int results_fd() { return process_->output().fd(); }
  int errors_fd() { return process_->errors().fd(); }

  // To be called when results_fd or errors_fd is readable. The row of the case in flight once it is complete: the
  // worker's own, or a CRASH when the process died of it.
  std::optional<ResultRow> read_some();

  // Ends the process because its case is over its limit, and reports TIMEOUT with where the kernel was.
  ResultRow time_out();

  void kill();  // abandons the case in flight, if any

 private:
  void start();
  void wait_for_errors(std::chrono::milliseconds patience);
  ResultRow ended(Kind kind, std::string detail);
  std::chrono::duration<double> processor_time() const;

  std::string program_;
  int number_;
  std::optional<Process> process_;
  std::optional<Task> current_;
  size_t index_ = 0;
  Clock::time_point started_, deadline_;
  std::chrono::duration<double> limit_{}, processor_time_before_{};
};

}  // namespace assay

// One worker as the program sees it: start, send a case, read its row.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/process.h"
#include "harness/result/row.h"
#include "harness/search/task.h"

namespace assay {

class WorkerProcess {
 public:
  // `number`: 0, 1, … among the workers of a pool; the worker sees it as ASSAY_WORKER.
  // `replacing`: as PoolOptions has it.
  WorkerProcess(std::string program, int number, std::vector<std::string> replacing = {});
  ~WorkerProcess() { kill(); }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Starts the process if none is running and sends it one task. Call it only when idle. Errors: the process cannot be
  // started.
  Result<void> send(const Task& task, size_t index, std::chrono::duration<double> limit);
  bool busy() const { return current_.has_value(); }
  size_t index() const { return index_; }
  // Call it only when busy; the result is -1 once the worker has closed it.
  int results_fd() { return process_->output().fd(); }
  int errors_fd() { return process_->errors().fd(); }

  // To be called when results_fd or errors_fd is readable. Returns the row of the case in flight once it is complete.
  std::optional<ResultRow> read_some();

  void kill();  // abandons the case in flight, if any

 private:
  std::string program_;
  int number_;
  std::vector<std::string> replacing_;
  std::optional<Process> process_;
  std::optional<Task> current_;
  size_t index_ = 0;
};

}  // namespace assay

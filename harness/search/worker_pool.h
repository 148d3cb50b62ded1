// Runs cases in worker processes, each under a time limit; a crash or a hang is a verdict of theirs.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/result/row.h"
#include "harness/search/task.h"

namespace assay {

struct PoolOptions {
  std::string program = "/proc/self/exe";  // an assay binary: it is started as `program worker`
  int jobs = 1;
  std::chrono::duration<double> case_limit{10};
  // Modules that workers load besides the program's own; their variants replace those of the same names there.
  std::vector<std::string> replacing = {};
};

class WorkerProcess;

class WorkerPool {
 public:
  explicit WorkerPool(PoolOptions options);
  ~WorkerPool();

  // Runs every task that `next` gives: it is asked whenever a worker is free, and returns nothing when none is left to
  // start. `done` gets each row as it comes, with its task's index. Returns when all started tasks are done, or soon
  // after `*stop` turns true (those in flight are then abandoned). Where the system allows no more processes or
  // descriptors, fewer workers run; a task for which none can be started is SKIPPED.
  struct Numbered {
    size_t index;
    Task task;
  };
  using Next = std::function<std::optional<Numbered>()>;
  using Done = std::function<void(size_t index, ResultRow row)>;
  void run(const Next& next, const Done& done, const std::atomic<bool>* stop = nullptr);

  // The limit of cases that start from now on.
  void limit_cases(std::chrono::duration<double> limit) { options_.case_limit = limit; }

  // One task; nothing when `*stop` turned true before it was done.
  std::optional<ResultRow> run_one(const Task& task, std::chrono::duration<double> limit,
                                   const std::atomic<bool>* stop = nullptr);

 private:
  PoolOptions options_;
  std::vector<std::unique_ptr<WorkerProcess>> workers_;
};

}  // namespace assay

// The parent's loop over its workers: give each a case, wait for rows.
#include "harness/search/worker_pool.h"

#include <poll.h>

#include <algorithm>

#include "harness/search/worker_process.h"

namespace assay {
namespace {

// Waits until one of the busy workers has something to read, or a quarter of a second is over (so that Ctrl-C is seen
// even when the signal came between the check and the wait).
void wait(const std::vector<std::unique_ptr<WorkerProcess>>& workers) {
  std::vector<pollfd> items;
  for (const auto& worker : workers) {
    if (!worker->busy()) continue;
    items.push_back({worker->results_fd(), POLLIN, 0});
    items.push_back({worker->errors_fd(), POLLIN, 0});
  }
  poll(items.data(), items.size(), 250);
}

}  // namespace

WorkerPool::WorkerPool(PoolOptions options) : options_(std::move(options)) {
  for (int i = 0; i < std::max(1, options_.jobs); ++i)
    workers_.push_back(std::make_unique<WorkerProcess>(options_.program, i, options_.replacing));
}

WorkerPool::~WorkerPool() = default;

void WorkerPool::run(const Next& next, const Done& done, const std::atomic<bool>* stop) {
  const auto stopped = [&] { return stop && stop->load(); };
  const auto any_busy = [&] { return std::ranges::any_of(workers_, [](auto& w) { return w->busy(); }); };
  std::optional<Numbered> waiting;  // a task for which no further worker could be started
  bool more = true;
  for (;;) {
    for (auto& worker : workers_) {
      while (more && !worker->busy() && !stopped()) {
        auto given = waiting ? std::exchange(waiting, std::nullopt) : next();
        more = given.has_value();
        if (!more) break;
        const auto sent = worker->send(given->task, given->index, options_.case_limit);
        if (sent) continue;
        if (any_busy()) {
          waiting = std::move(given);
          break;
        }
        done(given->index, row_for(given->task.c, given->task.device, Kind::skipped, sent.error().line()));
      }
    }
    if (!any_busy()) return;
    wait(workers_);
    if (stopped()) {
      for (auto& worker : workers_) worker->kill();
      return;
    }
    for (auto& worker : workers_) {
      if (!worker->busy()) continue;
      const size_t index = worker->index();
      if (auto row = worker->read_some()) done(index, std::move(*row));
    }
  }
}

std::optional<ResultRow> WorkerPool::run_one(const Task& task, std::chrono::duration<double> limit,
                                             const std::atomic<bool>* stop) {
  std::optional<ResultRow> result;
  const auto saved = std::exchange(options_.case_limit, limit);
  run(
      [&, given = false]() mutable {
        return std::exchange(given, true) ? std::nullopt : std::optional<Numbered>({0, task});
      },
      [&](size_t, ResultRow row) { result = std::move(row); }, stop);
  options_.case_limit = saved;
  return result;
}

}  // namespace assay

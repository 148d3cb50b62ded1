// Sends tasks to a worker and reads its answers.
#include "harness/search/worker_process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/adapter/build/build.h"
#include "harness/base/check.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

// Counting accesses takes one more run, up to a dozen times as long as the two at least that a case has anyway: asking
// for statistics must not make a TIMEOUT of a PASS.
constexpr double kStatisticsFactor = 8;

constexpr auto kEndingPeriod = std::chrono::seconds(5);  // for a worker to end what its kernels started

}  // namespace

WorkerProcess::WorkerProcess(std::string program, int number, std::vector<std::string> replacing)
    : program_(std::move(program)), number_(number), replacing_(std::move(replacing)) {}

Result<void> WorkerProcess::send(const Task& task, size_t index, std::chrono::duration<double> limit) {
  ASSAY_CHECK(!busy(), "a worker takes one case at a time");
  if (!process_) {
    process_ =
        ASSAY_TRY(Process::start({.words = {program_, "worker"},
                                  .environment = {{"ASSAY_WORKER", std::to_string(number_)},
                                                  {kReplacingModules, fmt::format("{}", fmt::join(replacing_, "\n"))}},
                                  .input = Redirect::pipe()}));
  }
  current_ = task;
  index_ = index;
  const double factor = task.extras.statistics || task.extras.watching.hints ? kStatisticsFactor : 1;
  // A worker that died meanwhile shows as the end of its results.
  process_->write(fmt::format("{} {}\n", factor * limit.count(), print(task)));
  return {};
}

std::optional<ResultRow> WorkerProcess::read_some() {
  const bool open = process_->output().read_some();
  process_->errors().read_some();
  if (const auto line = process_->output().next_line()) {
    Result<ResultRow> row = row_from_line(*line);
    ASSAY_CHECK(row.has_value(), "a worker sent a bad row: " + row.error().line());
    add_origin(*row);
    current_.reset();
    return *std::move(row);
  }
  if (open) return std::nullopt;
  const auto by_itself = process_->wait_until(Process::Clock::now() + kEndingPeriod);
  process_->errors().read_some();
  const std::string last = process_->errors().last_line();
  const std::string how = "the worker ended: " + (by_itself ? *by_itself : process_->kill()).text();
  ResultRow row = row_for(current_->c, current_->device, Kind::judge_crash, last.empty() ? how : how + ": " + last);
  kill();
  return row;
}

void WorkerProcess::kill() {
  if (!process_) return;
  process_->close_input();
  process_->wait_until(Process::Clock::now() + kEndingPeriod);
  process_.reset();
  current_.reset();
}

}  // namespace assay

// What a worker is sent and answers, and its limits.
#include "harness/search/worker_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <ctime>

#include "harness/base/check.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

constexpr double kWallFactor = 10;
// Counting accesses takes one more run, up to a dozen times as long as the two at least that a case has anyway: asking
// for statistics must not make a TIMEOUT of a PASS.
constexpr double kStatisticsFactor = 8;
constexpr auto kLimitPeriod = std::chrono::milliseconds(50);  // between two looks at a case that is late on the clock

constexpr auto kDyingPeriod = std::chrono::seconds(1);  // for a worker whose kernel closed its results and lives on

constexpr size_t kErrorTextMax = 4096;  // of what a kernel prints, the last so many bytes are kept

}  // namespace

WorkerProcess::WorkerProcess(std::string program, int number) : program_(std::move(program)), number_(number) {}

void WorkerProcess::start() {
  auto started = Process::start({.words = {program_, "worker"},
                                 .environment = {{"ASSAY_WORKER", std::to_string(number_)}},
                                 .input = Redirect::pipe()});
  ASSAY_CHECK(started.has_value(), started.error().line());
  process_ = std::move(*started);
}

void WorkerProcess::send(const Task& task, size_t index, std::chrono::duration<double> limit) {
  ASSAY_CHECK(!busy(), "a worker takes one case at a time");
  if (!process_) start();
  process_->errors().take();  // what an earlier case left
  current_ = task;
  index_ = index;
  started_ = Clock::now();
  limit_ = task.extras.statistics || task.extras.watching.hints ? kStatisticsFactor * limit : limit;
  processor_time_before_ = processor_time();
  deadline_ = started_ + std::chrono::duration_cast<Clock::duration>(limit_);
  process_->write(print(task) + "\n");  // a worker that died meanwhile shows as the end of its results
}

std::optional<ResultRow> WorkerProcess::read_some() {
  const bool open = process_->output().read_some();
  process_->errors().read_some();
  process_->errors().keep_last(kErrorTextMax);
  if (const auto line = process_->output().next_line()) {
    Result<ResultRow> row = row_from_line(*line);
    ASSAY_CHECK(row.has_value(), "a worker sent a bad row: " + row.error().line());
    add_origin(*row);
    current_.reset();
    return *std::move(row);
  }
  if (open) return std::nullopt;
  wait_for_errors(std::chrono::milliseconds(100));
  const auto by_itself = process_->wait_until(Clock::now() + kDyingPeriod);
  const ProcessEnd end = by_itself ? *by_itself : process_->kill();
  return ended(Kind::crash, end.text() + (end.signal == 0 ? " in the middle of the case" : ""));
}

std::chrono::duration<double> WorkerProcess::processor_time() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process_->pid(), &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
  return std::chrono::duration<double>(static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec));
}

bool WorkerProcess::over_limit() {
  if (Clock::now() < deadline_) return false;
  if (processor_time() - processor_time_before_ >= limit_ || Clock::now() - started_ >= kWallFactor * limit_)
    return true;
  deadline_ = Clock::now() + kLimitPeriod;
  return false;
}

ResultRow WorkerProcess::time_out() {
  process_->signal(SIGTERM);  // it answers with where the kernel is
  wait_for_errors(std::chrono::milliseconds(500));
  return ended(Kind::timeout, fmt::format("not done after {:.3g} s", limit_.count()));
}

void WorkerProcess::wait_for_errors(std::chrono::milliseconds patience) {
  const auto until = Clock::now() + patience;
  while (process_->errors().is_open()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd item{errors_fd(), POLLIN, 0};
    if (left <= 0 || poll(&item, 1, static_cast<int>(left)) <= 0) return;
    process_->errors().read_some();
  }
}

void WorkerProcess::kill() {
  process_.reset();
  current_.reset();
}

// The row of a case that the process did not survive, with the last that it printed.
ResultRow WorkerProcess::ended(Kind kind, std::string detail) {
  const std::string last = process_->errors().last_line();
  ResultRow row = row_for(current_->c, current_->device, kind, last.empty() ? detail : detail + ": " + last);
  row.figures["seconds"] = std::chrono::duration<double>(Clock::now() - started_).count();
  kill();
  return row;
}

}  // namespace assay

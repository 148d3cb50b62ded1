// Pipes and process handling of one worker.
#include "harness/search/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "harness/base/check.h"

extern char** environ;

namespace assay {
namespace {

constexpr double kWallFactor = 10;
// Counting accesses takes one more run, up to a dozen times as long as the two at least that a case has anyway: asking
// for statistics must not make a TIMEOUT of a PASS.
constexpr double kStatisticsFactor = 8;
constexpr auto kLimitPeriod = std::chrono::milliseconds(50);  // between two looks at a case that is late on the clock

constexpr size_t kErrorTextMax = 4096;  // of what a kernel prints, the last so many bytes are kept

struct Pipe {
  Pipe() {
    int ends[2];
    ASSAY_CHECK(pipe2(ends, O_CLOEXEC) == 0, std::string("cannot open a pipe: ") + std::strerror(errno));
    read = ends[0];
    write = ends[1];
  }
  int read, write;
};

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// Appends what is readable now; false at end of file.
bool drain(int fd, std::string& text) {
  char buffer[65536];
  for (;;) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n > 0) text.append(buffer, static_cast<size_t>(n));
    if (n == 0) return false;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
  }
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "";
  const size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

std::string ending(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("the process exited with status {} in the middle of the case", WEXITSTATUS(status));
}

}  // namespace

WorkerProcess::WorkerProcess(std::string program, int number) : program_(std::move(program)), number_(number) {}

WorkerProcess::~WorkerProcess() { kill(); }

void WorkerProcess::start() {
  Pipe cases, results, errors;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, cases.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, results.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write, STDERR_FILENO);
  std::string arguments[] = {program_, "worker"};
  char* argv[] = {arguments[0].data(), arguments[1].data(), nullptr};
  std::string number = "ASSAY_WORKER=" + std::to_string(number_);
  std::vector<char*> environment{number.data()};
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("ASSAY_WORKER=")) environment.push_back(*entry);
  environment.push_back(nullptr);
  const int error = posix_spawn(&pid_, program_.c_str(), &actions, nullptr, argv, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  ASSAY_CHECK(error == 0, fmt::format("cannot start a worker ({}): {}", program_, std::strerror(error)));
  close_fd(cases.read);
  close_fd(results.write);
  close_fd(errors.write);
  cases_ = cases.write;
  results_ = results.read;
  errors_ = errors.read;
  fcntl(results_, F_SETFL, O_NONBLOCK);
  fcntl(errors_, F_SETFL, O_NONBLOCK);
  result_text_.clear();
}

void WorkerProcess::send(const Task& task, size_t index, std::chrono::duration<double> limit) {
  ASSAY_CHECK(!busy(), "a worker takes one case at a time");
  if (pid_ < 0) start();
  error_text_.clear();
  current_ = task;
  index_ = index;
  started_ = Clock::now();
  limit_ = task.extras.statistics ? kStatisticsFactor * limit : limit;
  processor_time_before_ = processor_time();
  deadline_ = started_ + std::chrono::duration_cast<Clock::duration>(limit_);
  const std::string line = print(task) + "\n";
  // A worker that died meanwhile shows as end of file on its results; SIGPIPE is ignored by the program.
  [[maybe_unused]] const ssize_t written = write(cases_, line.data(), line.size());
}

void WorkerProcess::read_errors() {
  if (errors_ >= 0) drain(errors_, error_text_);
  if (error_text_.size() > kErrorTextMax) error_text_.erase(0, error_text_.size() - kErrorTextMax);
}

std::optional<ResultRow> WorkerProcess::read_some() {
  const bool open = drain(results_, result_text_);
  read_errors();
  const size_t end = result_text_.find('\n');
  if (end != std::string::npos && current_) {
    ResultRow row = row_from_json(nlohmann::json::parse(result_text_.substr(0, end)));
    result_text_.erase(0, end + 1);
    current_.reset();
    return row;
  }
  if (open) return std::nullopt;
  wait_for_errors(std::chrono::milliseconds(100));
  const std::string how = ending(reap());
  if (!current_) return std::nullopt;
  const std::string said = last_line(error_text_);
  ResultRow row = ended(Kind::crash, said.empty() ? how : how + ": " + said);
  current_.reset();
  return row;
}

std::chrono::duration<double> WorkerProcess::processor_time() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
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
  ::kill(pid_, SIGTERM);  // it answers with where the kernel is
  wait_for_errors(std::chrono::milliseconds(500));
  const std::string said = last_line(error_text_);
  ::kill(pid_, SIGKILL);
  reap();
  ResultRow row =
      ended(Kind::timeout, fmt::format("not done after {:.3g} s{}", limit_.count(), said.empty() ? "" : ": " + said));
  current_.reset();
  return row;
}

void WorkerProcess::wait_for_errors(std::chrono::milliseconds patience) {
  const auto until = Clock::now() + patience;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd item{errors_, POLLIN, 0};
    if (left <= 0 || poll(&item, 1, static_cast<int>(left)) <= 0) return;
    if (!drain(errors_, error_text_)) return;
  }
}

void WorkerProcess::kill() {
  if (pid_ >= 0) {
    ::kill(pid_, SIGKILL);
    reap();
  }
  current_.reset();
}

int WorkerProcess::reap() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  close_fd(cases_);
  close_fd(results_);
  close_fd(errors_);
  return status;
}

ResultRow WorkerProcess::ended(Kind kind, std::string detail) const {
  ResultRow row = row_for(current_->c, current_->device, kind, std::move(detail));
  row.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  return row;
}

}  // namespace assay

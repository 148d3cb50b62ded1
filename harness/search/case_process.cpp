// Waiting for a row, and what is reported when none comes.
#include "harness/search/case_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include "harness/base/check.h"
#include "harness/base/descendants.h"
#include "harness/device/cuda/gpu_device.h"
#include "harness/device/device.h"
#include "harness/result/row_json.h"
#include "harness/search/case_loop.h"
#include "harness/search/frame.h"
#include "harness/search/last_words.h"
#include "harness/search/time_limit.h"

namespace assay {
namespace {

using Clock = Process::Clock;
using std::chrono::milliseconds;

constexpr auto kDyingPeriod = std::chrono::seconds(1);  // for a process whose kernel closed its results and lives on

// Above what programs open, so that a kernel that writes to small numbers does not meet it.
int with_high_number(int fd) {
  constexpr int kHigh = 500;
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, kHigh);
  if (high < 0) return fd;  // the limit on open files is lower
  close(fd);
  return high;
}

}  // namespace

void CaseProcess::start() {
  int ends[2];
  ASSAY_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "cannot open a pair of sockets");
  const Descriptor theirs(with_high_number(ends[1]));
  descriptor_ = theirs.get();
  auto started = Process::start({.body = [&] { return serve_cases(theirs.get()); }, .errors = Redirect::merged()});
  ASSAY_CHECK(started.has_value(), started.error().line());
  process_ = std::move(*started);
  rows_ = ProcessOutput(Descriptor(ends[0]));
}

void CaseProcess::end() {
  if (!process_) return;
  process_->kill();
  end_descendants();
  process_.reset();
}

std::optional<std::string> CaseProcess::run(const Task& task, Seconds limit) {
  if (!process_) start();
  process_->output().read_some();
  process_->output().take();  // what an earlier case left
  printed_ = {};
  rows_.take();
  started_ = Clock::now();
  const std::string line = print(task) + "\n";
  if (::send(rows_.fd(), line.data(), line.size(), MSG_NOSIGNAL) < 0) return crash(task);
  TimeLimit time(process_->pid(), limit, task.device);
  for (;;) {
    pollfd items[] = {{rows_.fd(), POLLIN, 0}, {process_->output().fd(), POLLIN, 0}, {STDIN_FILENO, 0, 0}};
    poll(items, 3, static_cast<int>(time.until_next_look().count()));
    if (items[2].revents != 0) return std::nullopt;
    const bool gone = items[0].revents == 0 && process_->has_ended();  // before its last words are read
    const bool open = rows_.read_some();
    read_output();
    const Unframed unframed = unframe(rows_.text());
    if (unframed.state == Unframed::State::foreign)
      return ended(task, Kind::crash,
                   fmt::format("the kernel wrote into descriptor {}, which it has not opened", descriptor_), 0);
    if (unframed.state == Unframed::State::whole) {
      std::string answer(unframed.row);
      read_output();  // all of it is there: the process flushes before it answers
      if (printed_.lines() > 0) {
        auto row = row_from_line(answer);
        ASSAY_CHECK(row.has_value(), "a case's process sent a bad row: " + row.error().line());
        add_printed(task, *row);
        answer = to_line(*row);
      }
      if (unframed.last) end();
      return answer;
    }
    if (!open || gone) return crash(task);
    if (time.comes_to_half()) process_->signal(SIGUSR1);
    if (const std::string how = time.over(); !how.empty()) return time_out(task, how);
  }
}

std::string CaseProcess::crash(const Task& task) {
  wait_for_output(milliseconds(100));
  const auto end = process_->wait_until(Clock::now() + kDyingPeriod);
  if (!end)
    return ended(
        task, Kind::crash,
        fmt::format("the kernel closed descriptor {}, which it has not opened, or became another program", descriptor_),
        0);
  if (end->signal == 0)
    return ended(task, Kind::crash, fmt::format("the kernel ended the process with exit code {}", end->exit_code), 1);
  const std::string last = Printed(printed_).take_last_line();
  const Kind kind = last.starts_with(kMisalignedAccess)   ? Kind::misaligned
                    : last.starts_with(kOutsideTheKernel) ? Kind::judge_crash
                                                          : Kind::crash;
  // A process that aborts has said why. Memory that a kernel of the fast build has destroyed may crash other code
  // later.
  const bool destroyed = kind == Kind::judge_crash && task.device != kCheckedDevice;
  return ended(task, kind, end->text(), end->signal == SIGABRT ? 2 : 1,
               destroyed ? "; --checked shows whether the kernel wrote there before" : "");
}

std::string CaseProcess::time_out(const Task& task, const std::string& how) {
  process_->signal(SIGTERM);  // it answers with where the kernel is
  wait_for_output(milliseconds(500));
  // Which kernel a GPU is busy with, nobody sees from here.
  const std::string last = task.device == kGpuDevice ? "" : Printed(printed_).take_last_line();
  const Kind kind = last.starts_with(kOutsideTheKernel) ? Kind::judge_crash
                    : last.starts_with(kGoesOn)         ? Kind::skipped
                                                        : Kind::timeout;
  return ended(task, kind, how, 1, kind == Kind::skipped ? "; --case-limit gives it more" : "");
}

void CaseProcess::wait_for_output(milliseconds patience) {
  ProcessOutput& output = process_->output();
  const auto until = Clock::now() + patience;
  while (output.is_open()) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now()).count();
    pollfd item{output.fd(), POLLIN, 0};
    if (left <= 0 || poll(&item, 1, static_cast<int>(left)) <= 0) return;
    read_output();
  }
}

void CaseProcess::read_output() {
  ProcessOutput& output = process_->output();
  output.read_some();
  printed_.add(output.take());
}

// All of it where somebody asks; of a crash the last line, which may say why.
void CaseProcess::add_printed(const Task& task, ResultRow& row) {
  if (printed_.lines() == 0) return;
  row.figures["printed_lines"] = static_cast<double>(printed_.lines());
  if (task.extras.printed)
    row.printed = printed_.text();
  else if (row.verdict == Kind::crash)
    row.printed = Printed(printed_).take_last_line();
}

// The row of a case that the process did not survive, with the last `lines` that it printed.
std::string CaseProcess::ended(const Task& task, Kind kind, std::string detail, int lines, const char* hint) {
  for (const char* between = ": "; lines > 0; --lines, between = "; after ") {
    const std::string last = printed_.take_last_line();
    if (last.empty()) break;
    detail += between + last;
  }
  ResultRow row = row_for(task.c, task.device, kind, detail + hint);
  add_printed(task, row);
  row.figures["seconds"] = Seconds(Clock::now() - started_).count();
  end();
  return to_line(row);
}

}  // namespace assay

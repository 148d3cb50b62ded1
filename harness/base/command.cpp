// One loop that feeds a process, reads what it prints, and looks at the clock.
#include "harness/base/command.h"

#include <poll.h>

#include <algorithm>
#include <string_view>

namespace assay {
namespace {

using Clock = Process::Clock;

// The time between two looks at the clock, at Ctrl-C, and at whether the process has ended while something else holds
// its pipes.
constexpr auto kLook = std::chrono::milliseconds(50);

class Run {
 public:
  Run(Process process, bool own_group, const RunOptions& options)
      : process_(std::move(process)), own_group_(own_group), options_(options) {}

  ProcessResult to_the_end() {
    while (process_.output().is_open() || process_.errors().is_open() || process_.input_fd() >= 0) {
      exchange();
      // Children that it leaves may hold its pipes open. In a group of its own they are killed; else they may have
      // their say.
      if (over() || (own_group_ && process_.has_ended())) break;
    }
    std::optional<ProcessEnd> end;
    while (!over() && !(end = process_.wait_until(std::min(deadline(), Clock::now() + kLook)))) {
    }
    ran_.end = end ? *end : process_.kill();
    take_output();  // what was in the pipes when it ended
    ran_.output = process_.output().take();
    ran_.errors = process_.errors().take();
    return std::move(ran_);
  }

 private:
  // Waits for something to read or to write, and does it.
  void exchange() {
    if (left_.empty()) process_.close_input();
    pollfd items[] = {
        {process_.output().fd(), POLLIN, 0}, {process_.errors().fd(), POLLIN, 0}, {process_.input_fd(), POLLOUT, 0}};
    poll(items, 3, kLook.count());
    if (items[2].revents != 0) left_.remove_prefix(process_.write_some(left_));
    take_output();
  }

  void take_output() {
    process_.errors().read_some();
    process_.output().read_some();
    if (options_.on_output) options_.on_output(process_.output());
  }

  Clock::time_point deadline() const { return options_.deadline ? *options_.deadline : deadline_; }

  bool over() {
    if (options_.stop && options_.stop->load()) ran_.how = ProcessResult::How::stopped;
    if (ran_.how == ProcessResult::How::ended && Clock::now() >= deadline()) ran_.how = ProcessResult::How::timed_out;
    return ran_.how != ProcessResult::How::ended;
  }

  Process process_;
  bool own_group_;
  const RunOptions& options_;
  std::string_view left_ = options_.input;  // to be written
  Clock::time_point deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(options_.limit);
  ProcessResult ran_;
};

}  // namespace

Result<ProcessResult> run_process(ProcessSpec spec, const RunOptions& options) {
  if (!options.input.empty()) spec.input = Redirect::pipe();
  auto process = ASSAY_TRY(Process::start(spec));
  return Run(std::move(process), spec.own_group, options).to_the_end();
}

}  // namespace assay

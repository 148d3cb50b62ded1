// The life of a process after its start: feeding it, waiting for it, killing it.
#include "harness/base/process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>

#include "harness/base/check.h"

namespace assay {
namespace {

// Writes without the SIGPIPE that would end this process because another one did: the signal is blocked meanwhile, and
// taken off if it came.
ssize_t write_quietly(int fd, std::string_view text) {
  sigset_t broken_pipe, pending, before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const ssize_t written = ::write(fd, text.data(), text.size());
  const int error = errno;
  const timespec at_once{};
  if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0)
    sigtimedwait(&broken_pipe, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

}  // namespace

std::string ProcessEnd::text() const {
  return signal != 0 ? fmt::format("killed by signal {} ({})", signal, strsignal(signal))
                     : fmt::format("the process exited with status {}", exit_code);
}

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(own_group_, other.own_group_);
  std::swap(end_, other.end_);
  std::swap(input_, other.input_);
  std::swap(output_, other.output_);
  std::swap(errors_, other.errors_);
  return *this;
}

Process::~Process() {
  if (pid_ > 0) kill();
}

size_t Process::write_some(std::string_view text) {
  const ssize_t written = write_quietly(input_.get(), text);
  if (written < 0 && errno != EAGAIN && errno != EINTR) close_input();
  return static_cast<size_t>(std::max<ssize_t>(written, 0));
}

bool Process::write(std::string_view text) {
  while (!text.empty() && input_.is_open()) {
    pollfd item{input_.get(), POLLOUT, 0};
    poll(&item, 1, -1);
    text.remove_prefix(write_some(text));
  }
  return text.empty();
}

bool Process::has_ended() {
  if (end_) return true;
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid_;
}

std::optional<ProcessEnd> Process::wait_until(Clock::time_point time) {
  // There is no wait with a time limit before pidfds, which containers may lack. Most end within the first look.
  auto pause = std::chrono::microseconds(50);
  while (!has_ended()) {
    if (Clock::now() >= time) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10'000));
  }
  return reap();
}

ProcessEnd Process::wait() { return reap(); }

void Process::signal(int number) {
  if (!end_) ::kill(pid_, number);
}

ProcessEnd Process::kill() {
  if (!end_) ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
  return reap();
}

// While the process is dead and not yet waited for, its number is nobody else's: the moment to kill what is left of its
// group.
ProcessEnd Process::reap() {
  if (end_) return *end_;
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  if (own_group_) ::kill(-pid_, SIGKILL);
  int status = 0;
  pid_t waited = -1;
  while ((waited = waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {
  }
  ASSAY_CHECK(waited == pid_, std::string("lost a child process: ") + std::strerror(errno));
  end_ = WIFSIGNALED(status) ? ProcessEnd{-1, WTERMSIG(status)} : ProcessEnd{WEXITSTATUS(status), 0};
  return *end_;
}

}  // namespace assay

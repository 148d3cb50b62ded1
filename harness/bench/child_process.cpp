// Starting the process, and reading what it says until it ends or has to.
#include "harness/bench/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/base/check.h"

extern char** environ;

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

// What one stream of the process said and nobody has taken yet.
class Stream {
 public:
  Stream() {
    int ends[2];
    ASSAY_CHECK(pipe2(ends, O_CLOEXEC) == 0, std::string("cannot open a pipe: ") + std::strerror(errno));
    read_ = ends[0];
    write_ = ends[1];
    fcntl(read_, F_SETFL, O_NONBLOCK);
  }
  ~Stream() {
    close(read_);
    close_write();
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int write_end() const { return write_; }
  void close_write() {
    if (write_ >= 0) close(write_);
    write_ = -1;
  }
  pollfd item() const { return {open_ ? read_ : -1, POLLIN, 0}; }
  bool is_open() const { return open_; }

  void take() {
    char buffer[65536];
    ssize_t n = 0;
    while ((n = read(read_, buffer, sizeof buffer)) > 0) text_.append(buffer, static_cast<size_t>(n));
    open_ = n < 0 && (errno == EAGAIN || errno == EINTR);
  }
  // The next line that is complete.
  bool next_line(std::string& line) {
    const size_t end = text_.find('\n');
    if (end == std::string::npos) return false;
    line = text_.substr(0, end);
    text_.erase(0, end + 1);
    return true;
  }
  std::string last_line() {
    std::string last, line;
    while (next_line(line)) last = line.empty() ? last : line;
    return text_.empty() ? last : text_;
  }

 private:
  int read_ = -1, write_ = -1;
  bool open_ = true;
  std::string text_;
};

pid_t start(const std::string& program, const std::vector<std::string>& arguments, Stream& out, Stream& err) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ASSAY_CHECK(error == 0, fmt::format("cannot start {}: {}", program, std::strerror(error)));
  out.close_write();
  err.close_write();
  return pid;
}

int reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string ending(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("the process exited with status {}", WEXITSTATUS(status));
}

}  // namespace

ChildEnd run_child(const std::string& program, const std::vector<std::string>& arguments,
                   const std::function<void(const std::string& line)>& on_line, std::chrono::duration<double> limit,
                   const std::atomic<bool>* stop) {
  constexpr int kLookMs = 100;  // so that Ctrl-C is seen even when the signal came between the check and the wait
  Stream out, err;
  const pid_t pid = start(program, arguments, out, err);
  const auto deadline = Clock::now() + limit;
  ChildEnd end;
  while (out.is_open()) {
    pollfd items[] = {out.item(), err.item()};
    poll(items, 2, kLookMs);
    out.take();
    err.take();
    for (std::string line; out.next_line(line);) on_line(line);
    if (stop && stop->load()) end.how = ChildEnd::How::stopped;
    if (end.how == ChildEnd::How::done && Clock::now() >= deadline) end.how = ChildEnd::How::timed_out;
    if (end.how == ChildEnd::How::done) continue;
    kill(pid, SIGKILL);
    break;
  }
  const int status = reap(pid);
  err.take();
  const std::string said = err.last_line();
  const std::string tail = said.empty() ? "" : ": " + said;
  if (end.how == ChildEnd::How::timed_out) end.detail = fmt::format("not done after {:.3g} s{}", limit.count(), tail);
  if (end.how == ChildEnd::How::done && status != 0) {
    end.how = ChildEnd::How::crashed;
    end.detail = ending(status) + tail;
  }
  return end;
}

}  // namespace assay

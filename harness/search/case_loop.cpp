// Turns a task's line into its row.
#include "harness/search/case_loop.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>

#include "harness/base/check.h"
#include "harness/base/process_output.h"
#include "harness/device/device.h"
#include "harness/judge/judge.h"
#include "harness/op/registry.h"
#include "harness/result/row_json.h"
#include "harness/search/frame.h"
#include "harness/search/last_words.h"
#include "harness/search/task.h"

namespace assay {
namespace {

// `usable` turns false when this process can run nothing any more.
ResultRow run_line(const std::string& line, bool& usable) {
  // Never destroyed: what exit() runs would do it under a running kernel.
  static auto& devices = *new std::map<std::string, std::unique_ptr<Device>>;
  const Result<Task> task = parse_task(line);
  ASSAY_CHECK(task.has_value(), "the supervisor sent a bad task: " + (task ? "" : task.error().line()));
  std::unique_ptr<Device>& made = devices[task->device];
  if (!made) {
    auto device = make_device(task->device);
    if (!device) {
      usable = false;  // the next process may have more luck
      return row_for(task->c, task->device, Kind::skipped,
                     fmt::format("device {} is not here: {}", task->device, device.error().line()));
    }
    made = std::move(*device);
  }
  Device& device = *made;
  const Variant* variant = find_variant(task->c.op, task->c.variant, device.name());
  ASSAY_CHECK(variant, "no variant " + task->c.id() + " for device " + device.name());
  const auto start = std::chrono::steady_clock::now();
  ResultRow row = run_case(task->c, *variant, device, task->extras);
  row.figures["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  usable = device.usable();
  if (const std::string left = processes_left(); !left.empty()) {
    row.decide(Kind::crash, left);
    usable = false;  // its end ends them too
  }
  return row;
}

std::optional<std::string> read_line(int fd) {
  std::string line;
  char c = 0;
  while (recv(fd, &c, 1, 0) == 1) {
    if (c == '\n') return line;
    line += c;
  }
  return std::nullopt;
}

bool send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

int serve_cases(int supervisor) {
  const pid_t self = getpid();
  close_range(STDERR_FILENO + 1, static_cast<unsigned>(supervisor) - 1, 0);
  close_range(static_cast<unsigned>(supervisor) + 1, ~0u, 0);
  install_last_words();
  setlinebuf(stdout);  // a process that is killed keeps what it has not written
  bool usable = true;
  while (usable) {
    const auto line = read_line(supervisor);
    if (!line) return 0;
    const std::string row = to_line(run_line(*line, usable));
    std::fflush(stdout);             // what kernels printed is read before the row
    if (getpid() != self) _exit(0);  // a copy that a kernel made: the row is the original's to send
    if (!send_all(supervisor, frame(row, !usable))) pause();  // a kernel closed it, as the supervisor will find
  }
  return 0;
}

}  // namespace assay

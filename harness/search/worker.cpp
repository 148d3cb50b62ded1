// The worker's loop, and what it reports of itself when a kernel kills it.
#include "harness/search/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>

#include "harness/adapter/build.h"
#include "harness/base/check.h"
#include "harness/base/waiting.h"
#include "harness/device/device.h"
#include "harness/judge/judge.h"
#include "harness/op/registry.h"
#include "harness/result/row_json.h"
#include "harness/search/task.h"
#include "harness/simt/runtime/current_thread.h"
#include "harness/simt/runtime/signal_stack.h"

namespace assay {
namespace {

void append(char* text, size_t size, const char* more) { std::strncat(text, more, size - std::strlen(text) - 1); }

void append_hex(char* text, size_t size, uintptr_t value) {
  char digits[19] = "0x";
  int at = 2;
  for (int shift = 60; shift >= 0; shift -= 4)
    if (at > 2 || (value >> shift) != 0 || shift == 0) digits[at++] = "0123456789abcdef"[(value >> shift) & 15];
  digits[at] = '\0';
  append(text, size, digits);
}

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault at address ";
    case SIGBUS:
      return "bus error at address ";
    case SIGFPE:
      return "arithmetic fault (integer division by zero?) at address ";
    case SIGILL:
      return "illegal instruction at address ";
    default:
      return nullptr;
  }
}

// Says where the kernel was, in async-signal-safe calls only, then dies of the same signal. For SIGTERM (the parent's
// time limit) it exits.
void on_fatal_signal(int signal, siginfo_t* info, void* context) {
  char text[512] = "";
  if (const char* what = signal_name(signal)) {
    append(text, sizeof text, what);
    append_hex(text, sizeof text, reinterpret_cast<uintptr_t>(info->si_addr));
    append(text, sizeof text, " ");
  }
  char where[256] = "";
  simt::describe_current_thread(where, sizeof where, info, context);
  const char* waits = waiting_for();
  append(text, sizeof text, *where ? "in " : waits ? "waiting for " : "outside any kernel");
  append(text, sizeof text, *where || !waits ? where : waits);
  append(text, sizeof text, "\n");
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
  if (signal == SIGTERM) _exit(124);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  raise(signal);
}

void install_handlers() {
  simt::give_this_thread_a_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = on_fatal_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM}) sigaction(signal, &action, nullptr);
  signal(SIGINT, SIG_IGN);  // Ctrl-C goes to the parent, which decides
}

// A task's line, as WorkerProcess::send() writes it. `usable` turns false when this process can run nothing any more.
ResultRow run_line(const std::string& line, bool& usable) {
  static std::map<std::string, std::unique_ptr<Device>> devices;
  const Result<Task> task = parse_task(line);
  ASSAY_CHECK(task.has_value(), "the parent sent a bad task: " + (task ? "" : task.error().line()));
  std::unique_ptr<Device>& made = devices[task->device];
  if (!made) {
    auto device = make_device(task->device);
    if (!device) return row_for(task->c, task->device, Kind::skipped, device.error().line());
    made = std::move(*device);
  }
  Device& device = *made;
  const Variant* variant = find_variant(task->c.op, task->c.variant, device.name());
  ASSAY_CHECK(variant, "no variant " + task->c.id() + " for device " + device.name());
  const auto start = std::chrono::steady_clock::now();
  ResultRow row = run_case(task->c, *variant, device, task->extras);
  row.figures["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  usable = device.usable();
  return row;
}

// Becomes a fresh worker on the same pipes, and the parent notices nothing: it sends a task only after the row of the
// one before, so nothing was read ahead.
void start_over(int results) {
  dup2(results, STDOUT_FILENO);
  execl("/proc/self/exe", "assay", "worker", nullptr);
}

}  // namespace

int worker_main() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a hanging kernel must not outlive a parent that was killed
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  install_handlers();
  if (const auto loaded = load_modules_of_parent(); !loaded) {
    std::fprintf(stderr, "assay: %s\n", loaded.error().line().c_str());
    return 1;
  }
  const int results = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  std::FILE* out = fdopen(results, "w");
  ASSAY_CHECK(out, "a worker needs a result pipe");
  for (std::string line; std::getline(std::cin, line);) {
    bool usable = true;
    const std::string text = to_line(run_line(line, usable)) + "\n";
    if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fflush(out) != 0) return 1;
    if (!usable) start_over(results);
  }
  return 0;
}

}  // namespace assay

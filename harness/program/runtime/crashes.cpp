// One handler for the signals of faults, on a stack of its own.
#include "harness/program/runtime/crashes.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include "harness/program/runtime/host_watch.h"
#include "harness/program/runtime/process.h"
#include "harness/simt/runtime/current_thread.h"
#include "harness/simt/runtime/signal_stack.h"

namespace assay::program {
namespace {

// Not async-signal-safe: either the host accesses a page that is closed to it, which the C library does with no lock
// that is needed here, or the process ends anyway, for a fault in a kernel, which holds none.
void on_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  auto* const host = static_cast<ucontext_t*>(context);
  if ((signal == SIGSEGV && was_watched(info, host)) || (signal == SIGTRAP && was_stepped(host))) {
    errno = error;
    return;
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  char where[512];
  if (simt::describe_current_thread(where, sizeof where, info, context) > 0) {
    const std::string line = simt::current_kernel_line(context);
    GpuProcess::get().log().add(simt::Kind::crash,
                                std::string(strsignal(signal)) + " in " + where + (line.empty() ? "" : ", at " + line),
                                "the program ends");
  }
  raise(signal);
}

}  // namespace

void log_crashes() {
  simt::give_this_thread_a_signal_stack();
  bool are_ours = true;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) {
      are_ours = are_ours && signal != SIGSEGV && signal != SIGTRAP;
      continue;
    }
    struct sigaction ours {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &ours, nullptr);
  }
  if (are_ours) watch_host();
}

}  // namespace assay::program

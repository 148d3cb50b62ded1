// One handler for the signals of faults, on a stack of its own.
#include "harness/program/runtime/crashes.h"

#include <csignal>
#include <cstring>

#include "harness/program/runtime/process.h"
#include "harness/simt/runtime/current_thread.h"
#include "harness/simt/runtime/signal_stack.h"

namespace assay::program {
namespace {

// Not async-signal-safe behind the first lines, as the process ends anyway; the fault is in a kernel, which holds no
// lock of the C library's.
void on_fault(int signal, siginfo_t* info, void* context) {
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
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace assay::program

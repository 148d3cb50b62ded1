// Asks Linux on which stacks signal handlers run, and gives it one for them.
#include "harness/simt/runtime/signal_stack.h"

#include <sys/mman.h>

#include <csignal>

#include "harness/simt/runtime/check.h"

namespace assay::simt {

// Asks the kernel for the handler of each signal: 64 system calls, 6 µs for a launch.
bool handlers_have_own_stack() {
  stack_t stack{};
  const bool has_stack = sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE) == 0;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;  // one of those that the C library keeps for itself
    const bool handled = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
    if (handled && (!has_stack || (action.sa_flags & SA_ONSTACK) == 0)) return false;
  }
  return true;
}

void give_this_thread_a_signal_stack() {
  constexpr size_t kBytes = size_t{512} << 10;  // reading debug information takes most of it
  stack_t stack{};
  stack.ss_size = kBytes;
  stack.ss_sp = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  SIMT_CHECK(stack.ss_sp != MAP_FAILED && sigaltstack(&stack, nullptr) == 0, "no memory for a signal stack");
}

}  // namespace assay::simt

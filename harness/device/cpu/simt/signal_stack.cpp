// Asks the kernel for the handler of each signal: 64 system calls, 6 µs for a launch.
#include "harness/device/cpu/simt/signal_stack.h"

#include <csignal>

namespace assay::simt {

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

}  // namespace assay::simt

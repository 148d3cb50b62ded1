// Asks Linux on which stacks signal handlers run, and gives it one for them.
#include "harness/simt/runtime/signal_stack.h"

#include <sys/mman.h>

#include <atomic>
#include <csignal>
#include <optional>

#include "harness/simt/runtime/check.h"

namespace assay::simt {

namespace {

struct Handlers {
  bool any = false, any_without_stack = false;
};
std::atomic<uint64_t> changes{0};
std::atomic<bool> are_watched{false};

// Asks the kernel for the handler of each signal: 64 system calls, 6 to 15 µs.
Handlers handlers_now() {
  Handlers handlers;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;  // one of those that the C library keeps for itself
    if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) continue;
    handlers.any = true;
    handlers.any_without_stack |= (action.sa_flags & SA_ONSTACK) == 0;
  }
  return handlers;
}

}  // namespace

bool handlers_have_own_stack() {
  static thread_local Handlers known;
  static thread_local std::optional<uint64_t> known_at;
  if (const uint64_t now = changes; !are_watched || known_at != now) {
    known = handlers_now();
    known_at = now;
  }
  if (known.any_without_stack || !known.any) return !known.any_without_stack;
  stack_t stack{};
  return sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE) == 0;
}

void signal_handlers_are_watched() { are_watched = true; }
void signal_handler_changed() { ++changes; }

void give_this_thread_a_signal_stack() {
  constexpr size_t kBytes = size_t{512} << 10;  // reading debug information takes most of it
  stack_t stack{};
  stack.ss_size = kBytes;
  stack.ss_sp = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  SIMT_CHECK(stack.ss_sp != MAP_FAILED && sigaltstack(&stack, nullptr) == 0, "no memory for a signal stack");
}

}  // namespace assay::simt

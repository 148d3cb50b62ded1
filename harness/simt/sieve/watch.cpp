// A timer of processor time, and handlers that end the block that runs.
#include "harness/simt/sieve/watch.h"

#include <sys/time.h>

#include "harness/simt/runtime/fault.h"

namespace assay::simt::sieve {
namespace {

constexpr timeval kLimit{.tv_sec = 2, .tv_usec = 0};
constexpr timeval kAgain{.tv_sec = 0, .tv_usec = 100'000};  // where host code ran when it was over

std::array<struct sigaction, Watch::kSignals.size()> handlers_before;

// A fault of host code happens again, without us.
void give_up_at(int signal, siginfo_t*, void* context) {
  if (stop_at_fault(context, Kind::skipped, "not proven in time, or for a fault") || signal == SIGVTALRM) return;
  for (size_t i = 0; i < Watch::kSignals.size(); ++i)
    if (Watch::kSignals[i] == signal) sigaction(signal, &handlers_before[i], nullptr);
}

void set_timer(const timeval& first, const timeval& again) {
  const itimerval timer{.it_interval = again, .it_value = first};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

}  // namespace

Watch::Watch() {
  struct sigaction action {};
  action.sa_sigaction = give_up_at;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &handlers_before[i]);
  set_timer(kLimit, kAgain);
}

Watch::~Watch() {
  set_timer({}, {});
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &handlers_before[i], nullptr);
}

}  // namespace assay::simt::sieve

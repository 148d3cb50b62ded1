// Ends a sieved launch from outside: at a fault, and at a limit of its time. A kernel that faults or never ends is for
// the checked build on fibers, which says which thread of it did, and what it waits for.
#pragma once

#include <array>
#include <csignal>

namespace assay::simt::sieve {

// While it lives, a launch is given up at a fault of its kernel, and once the process has computed for two seconds.
class __attribute__((visibility("default"))) Watch {
 public:
  static constexpr std::array<int, 5> kSignals{SIGVTALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

}  // namespace assay::simt::sieve

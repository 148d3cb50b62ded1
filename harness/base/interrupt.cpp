// The signal handler behind the flag.
#include "harness/base/interrupt.h"

#include <csignal>

namespace assay {
namespace {

std::atomic<bool> g_interrupted{false};

void on_signal(int signal) {
  g_interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

bool was_interrupted() { return g_interrupted.load(); }

const std::atomic<bool>& interrupted_flag() {
  static const bool installed = [] {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
    return true;
  }();
  (void)installed;
  return g_interrupted;
}

}  // namespace assay

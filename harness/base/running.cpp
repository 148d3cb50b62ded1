// A text and a pointer, read by signal handlers of the thread that writes them.
#include "harness/base/running.h"

#include <algorithm>
#include <atomic>

namespace assay {
namespace {

Running::Text g_running{};
std::atomic<const char*> g_waiting_for{nullptr};

}  // namespace

const char* running() { return g_running.data(); }
const char* waiting_for() { return g_waiting_for.load(); }

Running::Running(std::string_view what) : before_(g_running) {
  Text text{};
  std::copy_n(what.begin(), std::min(what.size(), text.size() - 1), text.begin());
  g_running = text;
}
Running::~Running() { g_running = before_; }

Waiting::Waiting(const char* what) { g_waiting_for = what; }
Waiting::~Waiting() { g_waiting_for = nullptr; }

}  // namespace assay

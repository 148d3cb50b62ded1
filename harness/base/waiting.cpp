// One pointer, read by signal handlers.
#include "harness/base/waiting.h"

#include <atomic>

namespace assay {
namespace {

std::atomic<const char*> g_waiting_for{nullptr};

}  // namespace

const char* waiting_for() { return g_waiting_for.load(); }

Waiting::Waiting(const char* what) { g_waiting_for = what; }
Waiting::~Waiting() { g_waiting_for = nullptr; }

}  // namespace assay

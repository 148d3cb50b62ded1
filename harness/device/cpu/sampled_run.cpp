// A handler of SIGSEGV: userfaultfd, which would need none, is forbidden in many containers.
//
// The fault is that of the thread's own access, so the handler may do what a function called there may do.
#include "harness/device/cpu/sampled_run.h"

#include <fmt/format.h>

#include <csignal>

#include "harness/base/check.h"
#include "harness/simt/runtime/fault.h"
#include "harness/simt/runtime/signal_stack.h"

namespace assay {
namespace {

constexpr int64_t kTouchedMost = int64_t{1} << 30;  // bytes, of one block

std::vector<VirtualTensor*> g_on_demand;
struct sigaction g_outer {};  // the handler before
sigjmp_buf g_host_code;
std::string g_why_stopped;

int64_t touched_by_block() {
  int64_t bytes = 0;
  for (const VirtualTensor* tensor : g_on_demand) bytes += tensor->touched_bytes();
  return bytes;
}

bool stop(void* context, simt::Kind kind, std::string why) {
  if (simt::stop_at_fault(context, kind, why)) return true;
  g_why_stopped = "not sampled: host code runs, and " + std::move(why);
  siglongjmp(g_host_code, 1);
}

bool serve(uintptr_t address, void* context) {
  for (VirtualTensor* const tensor : g_on_demand) {
    if (!tensor->reserves(address)) continue;
    const bool is_full = touched_by_block() >= kTouchedMost;
    if (!is_full && tensor->touch(address)) return true;
    const int64_t element = tensor->element_at(address);
    if (element >= 0 && element < tensor->count())
      return stop(context, simt::Kind::skipped, "not sampled: a block walks the whole tensor");
    const std::string& name = tensor->base().name();
    return stop(context, simt::Kind::out_of_bounds,
                fmt::format("{}[{}] is accessed, and {} has {} elements; is an index computed in 32 bits?", name,
                            element, name, tensor->count()));
  }
  return false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (info->si_code != SI_KERNEL && serve(reinterpret_cast<uintptr_t>(info->si_addr), context)) return;
  if ((g_outer.sa_flags & SA_SIGINFO) != 0) return g_outer.sa_sigaction(signal, info, context);
  sigaction(signal, &g_outer, nullptr);  // the access is made again, and ends the process
}

}  // namespace

TouchedOnDemand::TouchedOnDemand(std::vector<VirtualTensor*> tensors) {
  ASSAY_CHECK(g_on_demand.empty(), "one run of sampled blocks at a time");
  g_on_demand = std::move(tensors);
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) != 0) simt::give_this_thread_a_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &g_outer);
}

sigjmp_buf* TouchedOnDemand::host_code() const { return &g_host_code; }
const std::string& TouchedOnDemand::why_stopped() const { return g_why_stopped; }

TouchedOnDemand::~TouchedOnDemand() {
  sigaction(SIGSEGV, &g_outer, nullptr);
  g_on_demand.clear();
}

}  // namespace assay

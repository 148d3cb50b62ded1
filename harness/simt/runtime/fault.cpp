// The handler changes where the thread goes on: at the jump that leaves its stack, which needs no stack itself. So
// threads with small stacks are stopped as well.
#include "harness/simt/runtime/fault.h"

#include <ucontext.h>

#include "harness/simt/runtime/current_thread.h"
#include "harness/simt/runtime/worker.h"

namespace assay::simt {

bool Worker::stop_at_fault(void* signal_context, Kind kind, const std::string& what) {
#if defined(__x86_64__) && !defined(ASSAY_SIMT_BOOST)
  auto& registers = static_cast<ucontext_t*>(signal_context)->uc_mcontext.gregs;
  const int stack = stacks.holding(reinterpret_cast<const void*>(registers[REG_RSP]));
  if (launch == nullptr || stack < 0) return false;
  const std::string line = current_kernel_line(signal_context);
  const uint3 thread = stacks.label(stack);
  // Which thread of a split kernel it was, nobody has written down.
  stop(kind, line.empty() ? what : what + " (" + line + ")", launch->split != nullptr ? nullptr : &thread);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&assay_simt_leave_to);
  registers[REG_RDI] = reinterpret_cast<greg_t>(&abandon);
  return true;
#else
  static_cast<void>(signal_context), static_cast<void>(kind), static_cast<void>(what);
  return false;
#endif
}

bool stop_at_fault(void* signal_context, Kind kind, const std::string& what) {
  Worker* const worker = this_worker_if_any();
  return worker != nullptr && worker->stop_at_fault(signal_context, kind, what);
}

}  // namespace assay::simt

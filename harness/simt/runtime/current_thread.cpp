// Tells a signal handler which CUDA thread was running. Nothing here allocates, locks or formats through the library.
#include "harness/simt/runtime/current_thread.h"

#include <ucontext.h>
#include <csignal>

#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

class Text {
 public:
  Text(char* text, size_t capacity) : text_(text), capacity_(capacity) {}

  void add(const char* s) {
    while (*s != 0 && length_ + 1 < capacity_) text_[length_++] = *s++;
  }
  void add(uint32_t number) {
    char digits[11];
    size_t i = sizeof digits;
    digits[--i] = 0;
    do digits[--i] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    add(digits + i);
  }
  void add(const char* what, const uint3& at) {
    add(what), add(" ("), add(at.x), add(","), add(at.y), add(","), add(at.z), add(")");
  }
  size_t finish() {
    if (capacity_ > 0) text_[length_] = 0;
    return length_;
  }

 private:
  char* text_;
  size_t capacity_;
  size_t length_ = 0;
};

const void* stack_pointer(const void* signal_context) {
#if defined(__x86_64__)
  if (signal_context != nullptr)
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(signal_context)->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  if (signal_context != nullptr)
    return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(signal_context)->uc_mcontext.sp);
#else
  static_cast<void>(signal_context);
#endif
  return __builtin_frame_address(0);
}

}  // namespace

size_t describe_current_thread(char* text, size_t capacity, const void* signal_info, const void* signal_context) {
  Text out(text, capacity);
  Worker* const worker = this_worker_if_any();
  if (worker == nullptr || worker->launch == nullptr) return out.finish();
  out.add("kernel "), out.add(worker->launch->kernel_name);
  out.add(" block", block.block_idx);
  // The stack tells the thread: records are not kept up to date in memory, registers are.
  const int stack = worker->stacks.holding(stack_pointer(signal_context));
  if (stack >= 0) out.add(" thread", worker->stacks.label(stack));
  const auto* const info = static_cast<const siginfo_t*>(signal_info);
  if (info != nullptr && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS)) {
    if (worker->stacks.is_guard(info->si_addr))
      out.add(": stack overflow, over 256 KB of local memory");
    else if (info->si_code == SI_KERNEL)  // the processor does not say which
      out.add(": access through a pointer to no possible address, or a vector access to a misaligned one");
    else if (reinterpret_cast<uintptr_t>(info->si_addr) < 4096)
      out.add(": access through a null pointer");
  }
  return out.finish();
}

}  // namespace assay::simt

// Tells a signal handler which CUDA thread was running. Nothing here allocates, locks or formats through the library.
#include "harness/simt/runtime/current_thread.h"

#include <dlfcn.h>
#include <ucontext.h>
#include <unwind.h>

#include <csignal>

#include "harness/simt/checked/source_lines.h"
#include "harness/simt/runtime/misaligned_access.h"
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

const void* program_counter(const void* signal_context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(signal_context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<const ucontext_t*>(signal_context)->uc_mcontext.pc);
#else
  static_cast<void>(signal_context);
  return nullptr;
#endif
}

const void* module_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// Looks outwards for a frame in the kernel's module.
struct FrameSearch {
  const void* module;
  const void* found = nullptr;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* data) {
  auto& search = *static_cast<FrameSearch*>(data);
  const auto* const pc = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  if (pc == nullptr || module_of(pc) != search.module) return _URC_NO_REASON;
  search.found = pc;
  return _URC_END_OF_STACK;
}

}  // namespace

uintptr_t misaligned_access(const void* signal_info, const void* signal_context) {
  const auto* const info = static_cast<const siginfo_t*>(signal_info);
  const bool unexplained = info != nullptr && info->si_signo == SIGSEGV && info->si_code == SI_KERNEL;
  return unexplained && signal_context != nullptr ? misaligned_operand(signal_context) : 0;
}

std::string current_kernel_line(const void* signal_context) {
  const Worker* const worker = this_worker_if_any();
  if (worker == nullptr || worker->launch == nullptr || signal_context == nullptr) return "";
  FrameSearch search{module_of(reinterpret_cast<const void*>(worker->launch->kernel.entry))};
  if (search.module == nullptr) return "";
  const auto* const pc = static_cast<const char*>(program_counter(signal_context));
  if (module_of(pc) == search.module) return checked::source_line(pc + 1);  // it takes addresses to return to
  _Unwind_Backtrace(look_at_frame, &search);
  return search.found == nullptr ? "" : checked::source_line(search.found);
}

size_t describe_current_thread(char* text, size_t capacity, const void* signal_info, const void* signal_context) {
  Text out(text, capacity);
  Worker* const worker = this_worker_if_any();
  if (worker == nullptr || worker->launch == nullptr) return out.finish();
  out.add("kernel "), out.add(worker->launch->kernel_name);
  out.add(" block", block.block_idx);
  // The stack tells the thread: records are not kept up to date in memory, registers are.
  const int stack = worker->stacks.holding(stack_pointer(signal_context));
  const auto* const info = static_cast<const siginfo_t*>(signal_info);
  const bool is_fault = info != nullptr && (info->si_signo == SIGSEGV || info->si_signo == SIGBUS);
  // Stacks grow downwards: another's guard is reached upwards, through the frames and the thread's label.
  const bool is_past_frames =
      is_fault && worker->stacks.is_guard(info->si_addr) && worker->stacks.holding(info->si_addr) != stack;
  if (stack >= 0 && worker->launch->split == nullptr && !is_past_frames)
    out.add(" thread", worker->stacks.label(stack));
  if (is_fault) {
    if (is_past_frames)
      out.add(": a write far past the end of a local array");
    else if (worker->stacks.is_guard(info->si_addr))
      out.add(": stack overflow, over 256 KB of local memory");
    else if (misaligned_access(signal_info, signal_context) != 0)
      out.add(": a vector access of 16 bytes must begin at a multiple of 16");
    else if (info->si_code == SI_KERNEL)  // the processor does not say more
      out.add(": access through a pointer to no possible address, or a vector access to a misaligned one");
    else if (reinterpret_cast<uintptr_t>(info->si_addr) < 4096)
      out.add(": access through a null pointer");
  }
  return out.finish();
}

}  // namespace assay::simt

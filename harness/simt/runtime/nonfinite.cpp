// The traps of nonfinite.h. Handlers run on the signal stack and allocate nothing.
#include "harness/simt/runtime/nonfinite.h"

#if defined(__x86_64__)
#include <ucontext.h>
#include <unwind.h>
#include <xmmintrin.h>

#include "harness/simt/runtime/worker.h"

namespace assay::simt {
namespace {

// Bits of MXCSR: masks and sticky flags of the three exceptions.
constexpr unsigned kWatched = _MM_MASK_INVALID | _MM_MASK_DIV_ZERO | _MM_MASK_OVERFLOW;
constexpr unsigned kFlags = _MM_EXCEPT_MASK;
constexpr greg_t kSingleStep = 0x100;  // the trap flag

// After so many instructions that only look at a NaN the rest goes unwatched: each costs two signals.
constexpr int kIgnoredMax = 1000;

struct Watch {
  const Worker* worker = nullptr;
  NonfiniteOrigin* origin = nullptr;
  int ignored = 0;
  bool stepping = false;
};
constinit Watch watch;

struct sigaction* chained_fpe = nullptr;

// Whether the instruction computes a new floating-point value: add, multiply, subtract, divide, square root, fused
// multiply-add, or a conversion to another width. Opcodes of the Intel manual, volume 2, appendix A.
bool makes_a_value(const unsigned char* code) {
  const auto arithmetic = [](unsigned char op) {
    return op == 0x51 || op == 0x58 || op == 0x59 || op == 0x5a || op == 0x5c || op == 0x5e;
  };
  const auto fused = [](unsigned char op) { return op >= 0x96 && op <= 0xbf && (op & 0xf) >= 6; };
  while (*code == 0x66 || *code == 0xf2 || *code == 0xf3) ++code;
  if ((*code & 0xf0) == 0x40) ++code;               // REX
  if (code[0] == 0x0f) return arithmetic(code[1]);  // legacy SSE
  if (code[0] == 0xc5) return arithmetic(code[2]);  // VEX, two bytes
  const bool vex = code[0] == 0xc4, evex = code[0] == 0x62;
  if (!vex && !evex) return false;
  const int map = code[1] & (vex ? 0x1f : 0x7);
  const unsigned char op = code[vex ? 3 : 4];
  return map == 1 ? arithmetic(op) : map == 2 && fused(op);
}

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* data) {
  auto& origin = *static_cast<NonfiniteOrigin*>(data);
  if (origin.depth == origin.stack.size()) return _URC_END_OF_STACK;
  int before_instruction = 0;
  const uintptr_t pc = _Unwind_GetIPInfo(context, &before_instruction);
  if (pc == 0) return _URC_END_OF_STACK;
  origin.stack[origin.depth++] = reinterpret_cast<const void*>(pc + static_cast<uintptr_t>(before_instruction));
  return _URC_NO_REASON;
}

void record(const siginfo_t& info, const mcontext_t& machine) {
  NonfiniteOrigin& origin = *watch.origin;
  origin.found = true;
  origin.nan = info.si_code == FPE_FLTINV;
  origin.block = block.block_idx;
  const Stacks& stacks = watch.worker->stacks;
  const int stack = stacks.holding(reinterpret_cast<const void*>(machine.gregs[REG_RSP]));
  origin.thread_known = stack >= 0;
  if (stack >= 0) origin.thread = stacks.label(stack);
  _Unwind_Backtrace(add_frame, &origin);
}

void on_fpe(int signal, siginfo_t* info, void* context) {
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  const bool floating = info->si_code == FPE_FLTINV || info->si_code == FPE_FLTDIV || info->si_code == FPE_FLTOVF;
  if (watch.origin == nullptr || !floating) {
    sigaction(signal, chained_fpe, nullptr);  // the instruction traps again, and whoever was here before answers
    return;
  }
  machine.fpregs->mxcsr = (machine.fpregs->mxcsr | kWatched) & ~kFlags;
  if (makes_a_value(reinterpret_cast<const unsigned char*>(machine.gregs[REG_RIP]))) {
    record(*info, machine);
  } else if (++watch.ignored < kIgnoredMax) {
    watch.stepping = true;
    machine.gregs[REG_EFL] |= kSingleStep;
  }
}

void on_trap(int, siginfo_t*, void* context) {
  if (!watch.stepping) return;
  watch.stepping = false;
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
  machine.gregs[REG_EFL] &= ~kSingleStep;
  machine.fpregs->mxcsr &= ~(kWatched | kFlags);
}

}  // namespace

NonfiniteHandlers::NonfiniteHandlers() {
  // The unwinder allocates when it is first used; not in the handler, then.
  NonfiniteOrigin unused;
  _Unwind_Backtrace(add_frame, &unused);
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = on_trap;
  sigaction(SIGTRAP, &action, &before_trap_);
  action.sa_sigaction = on_fpe;
  chained_fpe = &before_fpe_;
  sigaction(SIGFPE, &action, &before_fpe_);
}

NonfiniteHandlers::~NonfiniteHandlers() {
  sigaction(SIGFPE, &before_fpe_, nullptr);
  sigaction(SIGTRAP, &before_trap_, nullptr);
}

NonfiniteWatch::NonfiniteWatch(const Worker& worker, NonfiniteOrigin& origin) : before_(_mm_getcsr()) {
  if (origin.found) return;
  watch = {&worker, &origin, 0, false};
  _mm_setcsr(before_ & ~(kWatched | kFlags));
}

NonfiniteWatch::~NonfiniteWatch() {
  _mm_setcsr(before_);
  watch = {};
}

}  // namespace assay::simt

#else

namespace assay::simt {

NonfiniteHandlers::NonfiniteHandlers() = default;
NonfiniteHandlers::~NonfiniteHandlers() = default;
NonfiniteWatch::NonfiniteWatch(const Worker&, NonfiniteOrigin&) : before_(0) {}
NonfiniteWatch::~NonfiniteWatch() = default;

}  // namespace assay::simt

#endif

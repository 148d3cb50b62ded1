// The data that a kernel and the executor share: the record of one CUDA thread, the state of its block, and the switch
// to the next thread.
//
// The threads of a block are fibers of one OS thread, and no other runs kernels at the same time. Their records are
// contiguous, so "the next thread" is an addition; the last record is a sentinel that leads back to the scheduler, so
// the ring needs no bounds check either. A switch stores the stack pointer and the resume address in the record, steps
// to the next record and jumps. It never executes `ret`: consecutive switches come from different call sites, which a
// return predictor always gets wrong.
//
// One rule joins kernels, stubs and scheduler: *at every jump to a record's pc, r15 holds that record and rsp its sp.*
// g++ keeps it there (`-ffixed-r15`, ASSAY_SIMT_R15); any other compiler keeps it in a variable between switches.
// Other processors, or ASSAY_SIMT_BOOST, use Boost.Context through one function call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/simt/include/simt/quiet.h"
#include "harness/simt/include/simt/vector_types.h"

#if !defined(__x86_64__) && !defined(ASSAY_SIMT_BOOST)
#define ASSAY_SIMT_BOOST 1
#endif

#pragma GCC visibility push(default)
namespace assay::simt {

struct alignas(32) Fiber {
  void* sp;  // where the thread's stack stands while it is suspended; with Boost, its context
  void* pc;  // where it goes on, or a stub that passes over it
  uint3 thread_idx;
  uint32_t site;  // why it does not run, one of the sites below
};
static_assert(sizeof(Fiber) == 32 && offsetof(Fiber, pc) == 8,
              "the assembly below and in switch_x86_64.cpp knows these");

// Values of Fiber::site. The line of a barrier is no store at run time: it stands in the code, in front of the resume
// address. Only Boost.Context, which has no such addresses, keeps it here (any other value).
inline constexpr uint32_t kSiteBarrier = 0;             // at a barrier, running, or not begun
inline constexpr uint32_t kSiteWarpWait = 0xffff'fff0;  // in a warp operation whose other lanes have not come yet
inline constexpr uint32_t kSiteReleased = 0xffff'fff1;  // its warp operation is complete, it may go on
inline constexpr uint32_t kSiteSpinning = 0xffff'fff2;  // gave way because its atomics changed nothing for a while

// The block that runs now.
struct Block {
  uint3 block_idx;
  dim3 block_dim;
  dim3 grid_dim;
  uint32_t spin_budget;  // atomics without effect that may follow each other before the thread gives way
  bool atomics_changed;  // some atomic has changed memory since the budget was last looked at
  uint32_t votes_true;   // __syncthreads_count/_and/_or: votes of the interval that is running
  uint32_t votes_false;
  uint32_t result_true;  // and of the one that the last barrier ended
  uint32_t result_false;
  uint64_t approximation;  // seeds the errors of approximate functions (fast_math.h); 0: none
};

extern constinit Block block;
extern constinit Fiber* running;  // the current record where no register is reserved for it

void check_barrier_site(Fiber* me);  // `me` and the thread before it wait at different places
bool prepare_to_give_way();          // the budget is used up; false when the thread may go on
Fiber* give_way(Fiber* me);          // says what to switch to
#ifdef ASSAY_SIMT_BOOST
void switch_out_of_line(Fiber* next);
#endif

}  // namespace assay::simt
#pragma GCC visibility pop

// A function in which threads are switched: no `ret` of it is ever predicted, because what was called last was another
// thread. So it is flattened, as nvcc does too, and returns by an indirect jump, whose target hardly changes.
#if defined(__x86_64__) && !defined(__clang__)  // clang 14 has no such attribute
#define ASSAY_SIMT_KERNEL __attribute__((flatten, function_return("thunk-extern")))
asm(R"(
	.pushsection .text
__x86_return_thunk:
	.cfi_startproc
	popq %rcx
	.cfi_def_cfa_offset 0
	.cfi_register 16, 2
	jmp *%rcx
	.cfi_endproc
	.popsection
)");
#else
#define ASSAY_SIMT_KERNEL __attribute__((flatten))
#endif

#if defined(ASSAY_SIMT_R15)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wregister"
register ::assay::simt::Fiber* assay_simt_current asm("r15");
#pragma GCC diagnostic pop
#endif

#define ASSAY_SIMT_SWITCH_CLOBBERS                                                                                    \
  "rax", "rbx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "xmm0", "xmm1", "xmm2", "xmm3",   \
      "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", \
      "cc"

namespace assay::simt {

// The current record in r15, which is where the assembly wants it.
#define ASSAY_SIMT_REGISTER(name)                                                                                   \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wregister\"") register Fiber* name asm("r15") = \
      quiet_load(running);                                                                                          \
  _Pragma("GCC diagnostic pop")

#define ASSAY_SIMT_INLINE inline __attribute__((always_inline))

#if defined(ASSAY_SIMT_R15)
// Reads the register by assembly, not as the variable: in a large loop g++ 12 takes the register for the same in every
// turn, whatever the barriers inside do to it, and reads it once in front of the loop (at -O1, in the checked build, it
// was seen to). Other orders of threads move records at barriers, so what was read before one is another thread after
// it. Nothing is loaded from the address: a switch clobbers all memory, and so the compiler keeps no value that hangs
// on some over a switch.
ASSAY_SIMT_INLINE Fiber* current() {
  Fiber* me;
  asm("mov %%r15, %0" : "=r"(me) : "m"(*reinterpret_cast<const char*>(uintptr_t{4096})));
  return me;
}
#else
ASSAY_SIMT_INLINE Fiber* current() { return quiet_load(running); }
#endif

#if !defined(ASSAY_SIMT_BOOST)
// The switch, in three parts: suspend, step, resume. The frame pointer is kept below the stack pointer (kernels are
// compiled with -mno-red-zone), because it cannot be named as clobbered in functions that need it. Where the next
// thread goes on at the very place at which this one stops, as in a loop, a direct branch replaces the indirect jump:
// 0.5 ns against 1.6 ns on a Zen 3.
#define ASSAY_SIMT_SUSPEND   \
  "lea 1f(%%rip), %%rax\n\t" \
  "mov %%rbp, -8(%%rsp)\n\t" \
  "mov %%rsp, (%0)\n\t"      \
  "mov %%rax, 8(%0)\n\t"
#define ASSAY_SIMT_RESUME(before_jump, before_label)    \
  "mov (%0), %%rsp\n\t"                                 \
  "cmp %%rax, 8(%0)\n\t"                                \
  "je 1f\n\t" before_jump "jmp *8(%0)\n\t" before_label \
  "1:\n\t"                                              \
  "mov -8(%%rsp), %%rbp\n\t"
#endif

// Suspends the calling thread and runs `next`. Returns when the ring comes round to the caller.
ASSAY_SIMT_INLINE void switch_to(Fiber* next) {
#if defined(ASSAY_SIMT_BOOST)
  switch_out_of_line(next);
#elif defined(ASSAY_SIMT_R15)
  asm volatile(ASSAY_SIMT_SUSPEND "mov %1, %0\n\t" ASSAY_SIMT_RESUME("", "")
               : "+r"(assay_simt_current), "+c"(next)
               :
               : ASSAY_SIMT_SWITCH_CLOBBERS);
#else
  ASSAY_SIMT_REGISTER(me);
  asm volatile(ASSAY_SIMT_SUSPEND "mov %1, %0\n\t" ASSAY_SIMT_RESUME("", "")
               : "+r"(me), "+c"(next)
               :
               : ASSAY_SIMT_SWITCH_CLOBBERS);
  quiet_store(running, me);
#endif
}

// Waits at the barrier on source line `line`, a constant; threads of one interval must wait at one line. A thread whose
// place differs from that of the thread before it has the two lines compared (check_barrier_site), but not where the
// direct branch is taken: the next thread then stood at the same place, so either the whole ring goes round a loop, or
// its first and last thread differ, or some later thread finds out. The scheduler compares the first and the last.
//
// The threads of a block have a page each for their stacks, more pages than a processor's first table of them holds:
// the stack of the sixth thread from here is asked for in time (a tenth of a barrier's cost). Where stacks are dense
// this only costs, so the build leaves those two lines out (build/finish/stack_needs.h).
ASSAY_SIMT_INLINE void barrier(uint32_t line) {
#if defined(ASSAY_SIMT_BOOST)
  running->site = line;
  if (running[-1].site != line) check_barrier_site(running);
  switch_out_of_line(running + 1);
#else
#define ASSAY_SIMT_STEP                 \
  "mov 192(%0), %%rcx # far stacks\n\t" \
  "prefetcht0 (%%rcx) # far stacks\n\t" \
  "add $32, %0\n\t"
#define ASSAY_SIMT_CHECK                    \
  "cmp %%rax, -56(%0)\n\t"                  \
  "je 2f\n\t"                               \
  "jmp *assay_simt_check@GOTPCREL(%%rip)\n" \
  "2:\n\t"
#define ASSAY_SIMT_BARRIER ASSAY_SIMT_SUSPEND ASSAY_SIMT_STEP ASSAY_SIMT_RESUME(ASSAY_SIMT_CHECK, ".long %c[line]\n")
#if defined(ASSAY_SIMT_R15)
  asm volatile(ASSAY_SIMT_BARRIER : "+r"(assay_simt_current) : [line] "i"(line) : "rcx", ASSAY_SIMT_SWITCH_CLOBBERS);
#else
  ASSAY_SIMT_REGISTER(me);
  asm volatile(ASSAY_SIMT_BARRIER : "+r"(me) : [line] "i"(line) : "rcx", ASSAY_SIMT_SWITCH_CLOBBERS);
  quiet_store(running, me);
#endif
#undef ASSAY_SIMT_BARRIER
#undef ASSAY_SIMT_CHECK
#undef ASSAY_SIMT_STEP
#endif
}

}  // namespace assay::simt

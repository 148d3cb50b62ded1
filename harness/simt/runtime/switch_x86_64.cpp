// The assembly of the executor on x86-64: the stubs of ring.h, the scheduler's entry and exit, and thread start.
//
// Everywhere, a jump to a record's pc happens with r15 = the record and rsp = its sp. Stubs never push: the rsp of a
// dead record is the passing stack, so that a signal between two instructions lands on memory nobody owns.
#include "harness/simt/runtime/worker.h"

#ifndef ASSAY_SIMT_BOOST

namespace assay::simt {

extern "C" {
// Called from a barrier whose place differs from that of the thread before; `next` is the record that the ring goes on
// with.
__attribute__((used)) void assay_simt_check_before(Fiber* next) { check_barrier_site(next - 1); }

// The assembly below knows the offsets of these members.
constinit SwitchState assay_simt_state{};
static_assert(offsetof(SwitchState, starts_over) == 40 && offsetof(SwitchState, watch_returns) == 48 &&
              offsetof(SwitchState, keeps_record) == 52);
static_assert(offsetof(Block, spin_budget) == 36 && kSpinBudget == 1 << 14);
static_assert(offsetof(Block, votes_true) == 44 && offsetof(Block, result_true) == 52 &&
              offsetof(Block, result_false) == 56);

// A thread has returned in a block that uses warp operations: some may have waited for it.
__attribute__((used)) void assay_simt_note_return(Fiber* me) { this_worker_if_any()->note_return(me); }
}

}  // namespace assay::simt

asm(R"(
.text
.macro ASSAY_RESUME
  mov (%r15), %rsp
  jmp *8(%r15)
.endm
.macro ASSAY_STUB name
  .globl \name
  .hidden \name
  .type \name, @function
  .p2align 4
\name:
.endm

ASSAY_STUB assay_simt_dead
  add $32, %r15
  ASSAY_RESUME
ASSAY_STUB assay_simt_parked
  add $32, %r15
  ASSAY_RESUME
ASSAY_STUB assay_simt_to_scheduler
  mov assay_simt_state(%rip), %rsp
  jmp *assay_simt_state+8(%rip)

// The ring is through. Where the scheduler would find nothing but a complete barrier, and the first and the last thread
// wait at the same place, it is done here: Worker::release_barrier() in a few instructions.
ASSAY_STUB assay_simt_ring_end
  mov assay_simt_state+40(%rip), %rcx
  test %rcx, %rcx
  jz assay_simt_to_scheduler
  mov 8(%rcx), %rdx
  cmp %rdx, -24(%r15)
  jne assay_simt_to_scheduler
  lea assay_simt_dead(%rip), %rsi
  cmp %rsi, %rdx
  je assay_simt_to_scheduler
  mov _ZN5assay4simt5blockE@GOTPCREL(%rip), %rdx
  mov 44(%rdx), %rsi
  mov %rsi, 52(%rdx)
  movq $0, 44(%rdx)
  movl $1 << 14, 36(%rdx)
  mov %rcx, %r15
  ASSAY_RESUME

// A thread begins; what follows the call is its end.
// If the ring goes on with a thread that has not begun, that one runs on the same stack instead of its own: a kernel
// without barriers uses one stack, and a stack never has two living threads.
ASSAY_STUB assay_simt_start
  mov 256(%r15), %rcx
  prefetchw -64(%rcx)
1:
  mov 16(%r15), %rcx
  mov 24(%r15), %edx
  mov %rcx, (%rsp)
  mov %edx, 8(%rsp)
  mov _ZN5assay4simt7runningE@GOTPCREL(%rip), %rcx
  mov %r15, (%rcx)
  mov assay_simt_state+24(%rip), %rdi
  call *assay_simt_state+32(%rip)
  cmpl $0, assay_simt_state+52(%rip)
  je 3f
2:
  lea assay_simt_dead(%rip), %rdx
  mov assay_simt_state+16(%rip), %rcx
  mov %rdx, 8(%r15)
  mov %rcx, (%r15)
  cmpl $0, assay_simt_state+48(%rip)
  jne 5f
4:
  add $32, %r15
  lea assay_simt_start(%rip), %rdx
  cmp %rdx, 8(%r15)
  je 1b
  ASSAY_RESUME
3:
  mov _ZN5assay4simt7runningE@GOTPCREL(%rip), %rcx
  mov (%rcx), %r15
  jmp 2b
5:
  mov %r15, %rdi
  call assay_simt_note_return
  jmp 4b

// A detour on the way from a barrier to the next record, on the passing stack. Kernels come here, so it is not hidden.
  .globl assay_simt_check
  .type assay_simt_check, @function
  .p2align 4
assay_simt_check:
  mov assay_simt_state+16(%rip), %rsp
  mov %r15, %rdi
  call assay_simt_check_before
  ASSAY_RESUME

ASSAY_STUB assay_simt_run_ring
  push %rbx
  push %rbp
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, assay_simt_state(%rip)
  lea 1f(%rip), %rcx
  mov %rcx, assay_simt_state+8(%rip)
  mov %rdi, %r15
  ASSAY_RESUME
1:
  mov %r15, %rax
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbp
  pop %rbx
  ret

ASSAY_STUB assay_simt_leave_to
  mov %rdi, %r15
  ASSAY_RESUME
)");

#endif  // ASSAY_SIMT_BOOST

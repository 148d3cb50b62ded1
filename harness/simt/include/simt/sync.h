// Barriers of a block, memory fences, and the ends that a kernel can come to: assert and trap.
#pragma once

#include "harness/simt/include/simt/checked_calls.h"
#include "harness/simt/include/simt/fiber.h"

#pragma GCC visibility push(default)
namespace assay::simt {
// Record a finding for the running thread and abandon the launch. They do not return, but are not declared so: the
// address sanitizer would clean up a stack that is not the OS thread's.
void assertion_failed(const char* condition, const char* file, unsigned line);
void trapped(unsigned line);
}  // namespace assay::simt
#pragma GCC visibility pop

namespace assay::simt {
// A vote is counted before the barrier; the scheduler keeps the result until the next barrier is complete.
ASSAY_SIMT_INLINE void vote(int predicate, uint32_t line) {
  uint32_t& votes = predicate != 0 ? block.votes_true : block.votes_false;
  quiet_store(votes, quiet_load(votes) + 1);
  barrier(line);
}
}  // namespace assay::simt

ASSAY_SIMT_INLINE void __syncthreads(unsigned line = __builtin_LINE()) { ::assay::simt::barrier(line); }
ASSAY_SIMT_INLINE int __syncthreads_count(int predicate, unsigned line = __builtin_LINE()) {
  ::assay::simt::vote(predicate, line);
  return static_cast<int>(::assay::simt::quiet_load(::assay::simt::block.result_true));
}
ASSAY_SIMT_INLINE int __syncthreads_and(int predicate, unsigned line = __builtin_LINE()) {
  ::assay::simt::vote(predicate, line);
  return ::assay::simt::quiet_load(::assay::simt::block.result_false) == 0;
}
ASSAY_SIMT_INLINE int __syncthreads_or(int predicate, unsigned line = __builtin_LINE()) {
  ::assay::simt::vote(predicate, line);
  return ::assay::simt::quiet_load(::assay::simt::block.result_true) != 0;
}

#if defined(ASSAY_CPU_CHECKED)
// Kernels run on one OS thread: what a fence orders is the checks' business only.
ASSAY_SIMT_INLINE void __threadfence() { ::assay::simt::checked::check_fence(::assay::simt::current()); }
ASSAY_SIMT_INLINE void __threadfence_block() {
  ::assay::simt::checked::check_fence(::assay::simt::current(), ::assay::simt::checked::Scope::block);
}
ASSAY_SIMT_INLINE void __threadfence_system() { ::assay::simt::checked::check_fence(::assay::simt::current()); }
#else
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
#endif

namespace assay::simt {
// Stands behind an atomic or a load that acquires.
template <checked::Scope scope>
ASSAY_SIMT_INLINE void acquire() {
#if defined(ASSAY_CPU_CHECKED)
  checked::check_acquire(current(), scope);
#else
  __atomic_signal_fence(__ATOMIC_ACQUIRE);
#endif
}
}  // namespace assay::simt

inline void __trap(unsigned line = __builtin_LINE()) {
  ::assay::simt::trapped(line);
  __builtin_unreachable();
}
inline void __nanosleep(unsigned) {
  if (::assay::simt::prepare_to_give_way()) {
    ::assay::simt::switch_to(::assay::simt::give_way(::assay::simt::current()));
    ::assay::simt::quiet_store(::assay::simt::current()->site, ::assay::simt::kSiteBarrier);
  }
}

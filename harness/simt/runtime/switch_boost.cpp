// The executor on other processors: the ring of switch_x86_64.cpp through Boost.Context, one function call a switch.
//
// Fiber::sp is a context instead of a stack pointer. The stubs exist as addresses only; step() acts as they do.
#ifdef ASSAY_SIMT_BOOST

#include <boost/context/detail/fcontext.hpp>

#include "harness/simt/runtime/worker.h"

namespace assay::simt {

namespace context = boost::context::detail;

extern "C" {
constinit SwitchState assay_simt_state{};
void assay_simt_dead() { __builtin_trap(); }
void assay_simt_parked() { __builtin_trap(); }
void assay_simt_to_scheduler() { __builtin_trap(); }
void assay_simt_ring_end() { __builtin_trap(); }
void assay_simt_start() { __builtin_trap(); }
}

namespace {

char suspended;  // its address is the pc of a record that may run

Fiber* following(Fiber* fiber) {
  while (fiber->pc == stub(assay_simt_dead) || fiber->pc == stub(assay_simt_parked)) ++fiber;
  return fiber;
}

// The context that jumped here is saved where it asked for.
void save(const context::transfer_t& from) {
  if (from.data != nullptr) *static_cast<void**>(from.data) = from.fctx;
}

[[noreturn]] void life_of_a_stack(context::transfer_t from);

// Jumps to the record, which is no stub but start or to_scheduler. `keep` is where the caller's context goes.
void enter(Fiber* fiber, void** keep) {
  SwitchState& state = assay_simt_state;
  void* target = fiber->sp;
  running = fiber;
  if (fiber->pc == stub(assay_simt_to_scheduler) || fiber->pc == stub(assay_simt_ring_end)) {
    target = state.scheduler_sp;
  } else if (fiber->pc == stub(assay_simt_start)) {
    target = context::make_fcontext(fiber->sp, Stacks::kBytes / 2, life_of_a_stack);
  }
  save(context::jump_fcontext(target, keep));
}

// Runs threads one after another until the ring goes on with one that owns another stack.
void life_of_a_stack(context::transfer_t from) {
  save(from);
  SwitchState& state = assay_simt_state;
  const Stacks& stacks = this_worker_if_any()->stacks;
  char* const top = stacks.top(stacks.holding(__builtin_frame_address(0)));
  for (;;) {
    *reinterpret_cast<uint3*>(top) = running->thread_idx;
    state.entry(state.closure);
    Fiber* const me = running;
    me->pc = stub(assay_simt_dead);
    if (state.watch_returns != 0) this_worker_if_any()->note_return(me);
    Fiber* const next = following(me + 1);
    if (next->pc != stub(assay_simt_start)) assay_simt_leave_to(next);
    running = next;
  }
}

}  // namespace

void switch_out_of_line(Fiber* next) {
  Fiber* const me = running;
  me->pc = &suspended;
  enter(following(next), &me->sp);
}

extern "C" Fiber* assay_simt_run_ring(Fiber* first) {
  enter(following(first), &assay_simt_state.scheduler_sp);
  return running;
}

extern "C" void assay_simt_leave_to(Fiber* next) {
  enter(following(next), nullptr);
  __builtin_unreachable();
}

}  // namespace assay::simt

#endif  // ASSAY_SIMT_BOOST

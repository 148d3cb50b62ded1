// The functions that hooks and CUDA headers of a checked module call: they hand on to the monitor of the launch.
#include "harness/simt/checked/hook_entries.h"

#include "harness/simt/checked/monitor.h"
#include "harness/simt/include/ptx/passes.h"
#include "harness/simt/include/simt/checked_calls.h"
#include "harness/simt/runtime/executor.h"
#include "harness/simt/runtime/ring.h"

namespace assay::simt::checked {

constinit HookState hook_state{};

namespace {

constinit Monitor* monitor = nullptr;

uint32_t number_of(const Fiber* fiber) { return linear_index(fiber->thread_idx, block.block_dim); }

// The data that the compiler passes to the handlers of -fsanitize=bounds and alignment.
struct SourceLocation {
  const char* file;
  uint32_t line, column;
};
struct TypeDescription {
  uint16_t kind, info;
  char name[1];  // as long as it is
};
struct OutOfBoundsData {
  SourceLocation location;
  const TypeDescription* array;
  const TypeDescription* index;
};
struct TypeMismatchData {
  SourceLocation location;
  const TypeDescription* type;
  unsigned char alignment_log2;
  unsigned char check;
};

}  // namespace

void watch(Monitor* next) { monitor = next; }

void check_access(uintptr_t address, size_t bytes, Access access, const void* pc, uint32_t thread) {
  monitor->check({.address = address, .bytes = bytes, .access = access, .pc = pc, .me = thread});
}

bool check_copy(void* to, const void* from, size_t bytes, CopyKind kind, const void* pc, uint32_t thread) {
  return monitor->check_copy(
      {.address = reinterpret_cast<uintptr_t>(to), .bytes = bytes, .access = Access::write, .pc = pc, .me = thread},
      {.address = reinterpret_cast<uintptr_t>(from), .bytes = bytes, .access = Access::read, .pc = pc, .me = thread},
      kind);
}

void host_stores(void* to, size_t bytes) {
  if (Checker* const checker = current_checker()) checker->host_wrote(to, bytes);
}

// The switched thread counts as one whose atomics changed something, so that nobody takes it for a spinning one.
bool time_to_switch() {
  if (monitor == nullptr || !monitor->time_to_switch()) return false;
  block.atomics_changed = true;
  return true;
}

void check_atomic(const void* address, size_t bytes, AtomicKind kind, const Fiber* me, Scope scope) {
  if (monitor == nullptr) return;
  monitor->check({.address = reinterpret_cast<uintptr_t>(address),
                  .bytes = bytes,
                  .access = Access::atomic,
                  .reads_value = kind != AtomicKind::exchange,
                  .compares = kind == AtomicKind::compare_and_swap,
                  .of_block = scope == Scope::block,
                  .pc = __builtin_return_address(0),
                  .me = number_of(me)});
}

void check_fence(const Fiber* me, Scope scope) {
  if (monitor != nullptr) monitor->fence(number_of(me), scope);
}

void check_acquire(const Fiber* me, Scope scope) {
  if (monitor != nullptr) monitor->acquire(number_of(me), scope);
}

void function_entered(const Fiber* me, const char* program) {
  if (monitor != nullptr) monitor->function_entered(number_of(me), program);
}

void block_passed(const Fiber* me, uint32_t number) {
  if (monitor != nullptr) monitor->block_passed(number_of(me), number);
}

void function_left(const Fiber* me) {
  if (monitor != nullptr) monitor->function_left(number_of(me));
}

void index_out_of_bounds(const void* data, uint64_t index, const void* pc, uint32_t thread) {
  monitor->index_out_of_bounds(pc, thread, static_cast<const OutOfBoundsData*>(data)->array->name, index);
}

void pointer_misaligned(const void* data, uintptr_t pointer, const void* pc, uint32_t thread) {
  const auto& mismatch = *static_cast<const TypeMismatchData*>(data);
  monitor->pointer_misaligned({.address = pointer,
                               .bytes = size_t{1} << mismatch.alignment_log2,
                               .access = mismatch.check == 1 ? Access::write : Access::read,
                               .pc = pc,
                               .me = thread},
                              mismatch.type->name);
}

}  // namespace assay::simt::checked

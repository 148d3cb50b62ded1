// Starts a kernel from C++: `launch_kernel(kernel, LaunchShape{grid, block, shared_bytes}, arguments…)`, what `<<<>>>`
// is to nvcc.
//
// Each thread calls the kernel with its own copy of the arguments, as on a GPU. Options and findings travel in the
// current context of the OS thread (executor.h). Kernel files include this, so it stays lean.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "harness/simt/include/simt/fiber.h"

namespace assay::simt {

struct LaunchShape {
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;  // dynamic shared memory of one block
};

// What a kernel is besides its code.
struct KernelInfo {
  const void* address = nullptr;  // serves to name it
  uint32_t threads_declared = 0;  // by __launch_bounds__; 0: not declared
  size_t stack_bytes = 0;         // that a thread is proven to need at most; 0: not known
  bool keeps_record = false;      // when its thread_entry returns, r15 holds current()
};

// Runs thread_entry(closure) for each thread in the current context. When it returns, `running` is current(), or r15 is
// (KernelInfo::keeps_record): only code compiled as the kernel is knows where that was.
__attribute__((visibility("default"))) void launch_in_context(const LaunchShape& shape, void (*thread_entry)(void*),
                                                              void* closure, const KernelInfo& kernel);

struct StackNeed {
  const void* function;
  size_t bytes;
};

// The linker's names for the module's table of nops, and for the one that stack_needs.awk makes; null where it has
// none.
extern "C" {
extern const unsigned char* const __start___patchable_function_entries[] __attribute__((weak, visibility("hidden")));
extern const unsigned char* const __stop___patchable_function_entries[] __attribute__((weak, visibility("hidden")));
extern const StackNeed __start_assay_stack_needs[] __attribute__((weak, visibility("hidden")));
extern const StackNeed __stop_assay_stack_needs[] __attribute__((weak, visibility("hidden")));
}

inline uint32_t threads_declared(const unsigned char* kernel) {
  constexpr unsigned char kNop = 0x90;
  for (auto at = __start___patchable_function_entries; at != __stop___patchable_function_entries; ++at) {
    const unsigned char* nop = *at;
    while (nop < kernel && *nop == kNop) ++nop;
    if (nop == kernel && nop != *at) return static_cast<uint32_t>(kernel - *at);
  }
  return 0;
}

// The bytes of stack that a function of this module is proven to need at most, its callees included; 0: not known.
inline size_t stack_need(const void* function) {
  for (auto entry = __start_assay_stack_needs; entry != __stop_assay_stack_needs; ++entry)
    if (entry->function == function) return entry->bytes;
  return 0;
}

template <class... Params>
struct Closure {
  void (*kernel)(Params...);
  std::tuple<Params...> params;
};

// Whether a register holds the current record, so that it is there when a thread's code returns.
#if defined(ASSAY_SIMT_R15)
inline constexpr bool kKeepsRecord = true;
#else
inline constexpr bool kKeepsRecord = false;
#endif

// What each thread begins with. Where a register holds the current record, it jumps to the kernel and is done.
template <class... Params>
ASSAY_SIMT_KERNEL void thread_entry(void* data) {
  const auto& call = *static_cast<const Closure<Params...>*>(data);
  void (*const called)(Params...) = quiet_load(call.kernel);
  std::apply([=](const auto&... params) { called(quiet_load(params)...); }, call.params);
  if constexpr (!kKeepsRecord) quiet_store(running, current());
}

template <class... Params, class... Args>
void launch_kernel(void (*kernel)(Params...), const LaunchShape& shape, Args&&... args) {
  static_assert(sizeof...(Params) == sizeof...(Args), "a kernel is launched with all its arguments");
  Closure<Params...> closure{kernel, std::tuple<Params...>(static_cast<Params>(std::forward<Args>(args))...)};
  void (*const entry)(void*) = thread_entry<Params...>;
  const auto* const address = reinterpret_cast<const unsigned char*>(kernel);
  const size_t entry_need = stack_need(reinterpret_cast<const void*>(entry)), kernel_need = stack_need(address);
  const size_t stack_bytes = entry_need == 0 || kernel_need == 0 ? 0 : entry_need + kernel_need;
  launch_in_context(shape, entry, &closure, {address, threads_declared(address), stack_bytes, kKeepsRecord});
}

}  // namespace assay::simt

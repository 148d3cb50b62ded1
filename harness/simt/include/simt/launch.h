// Starts a kernel from C++: `launch_kernel(kernel, Launch{grid, block, shared_bytes}, arguments…)`, what `<<<>>>` is to
// nvcc.
//
// Each thread calls the kernel with its own copy of the arguments, as on a GPU. Options and findings travel in the
// current context of the process (executor.h). Kernel files include this, so it stays lean.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/launch_shape.h"
#include "harness/simt/include/simt/module.h"

namespace assay::simt {

// A kernel to launch: each thread calls entry(closure).
struct Kernel {
  void (*entry)(void*);
  void* closure;
  const void* address;         // of the kernel; serves to name it, and to find what its module says of it
  const Module& module;        // to which it and `entry` belong
  bool keeps_record = false;   // when `entry` returns, r15 holds current()
  const char* name = nullptr;  // of what is launched; nullptr: the address tells
};

// Runs the threads of all blocks in the current context. When `entry` returns, `running` is current(), or r15 is
// (Kernel::keeps_record): only code compiled as the kernel is knows where that was.
__attribute__((visibility("default"))) void launch_in_context(const Launch& launch, const Kernel& kernel);

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

// The function that each thread begins with. Where a register holds the current record, it jumps to the kernel and is
// done.
template <class... Params>
ASSAY_SIMT_KERNEL void thread_entry(void* data) {
  const auto& call = *static_cast<const Closure<Params...>*>(data);
  void (*const called)(Params...) = quiet_load(call.kernel);
  std::apply([=](const auto&... params) { called(quiet_load(params)...); }, call.params);
  if constexpr (!kKeepsRecord) quiet_store(running, current());
}

// `name`: nullptr for that of the function.
template <class... Params, class... Args>
void launch_named(const char* name, void (*kernel)(Params...), const Launch& launch, Args&&... args) {
  static_assert(sizeof...(Params) == sizeof...(Args), "a kernel is launched with all its arguments");
  Closure<Params...> closure{kernel, std::tuple<Params...>(static_cast<Params>(std::forward<Args>(args))...)};
  const Module module = this_module();
  launch_in_context(
      launch, {thread_entry<Params...>, &closure, reinterpret_cast<const void*>(kernel), module, kKeepsRecord, name});
}

template <class... Params, class... Args>
void launch_kernel(void (*kernel)(Params...), const Launch& launch, Args&&... args) {
  launch_named(nullptr, kernel, launch, std::forward<Args>(args)...);
}

}  // namespace assay::simt

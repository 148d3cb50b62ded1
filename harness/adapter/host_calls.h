// Host code of a user's kernel file on the executor: the CUDA runtime's calls, and what launches are replaced by
// (without_launch_syntax): kernel<<<grid, block>>>(arguments) becomes
//
//   assay_launch(kernel) assay_configured(grid, block) (arguments)
//
// With ASSAY_LAUNCHER an adapter calls a function of the file that launches. Otherwise nothing does, and kernel and
// configuration are not even compiled.
#pragma once

#include <cstdlib>

#include "harness/simt/include/simt/runtime_api.h"

#if defined(ASSAY_LAUNCHER)
namespace assay::adapter {

// A pointer may be given as NULL or 0.
template <class Param, class Argument>
Param as_parameter(Argument argument) {
  if constexpr (std::is_pointer_v<Param> && std::is_integral_v<Argument>)
    return nullptr;
  else
    return static_cast<Param>(argument);
}

struct LaunchWith {
  // An empty grid is refused by CUDA and computes nothing; launchers rely on that for empty data.
  template <class... Params, class... Arguments>
  requires(sizeof...(Params) == sizeof...(Arguments)) void operator()(void (*kernel)(Params...),
                                                                      Arguments... arguments) const {
    if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) return;
    simt::launch_named(name, kernel, shape, as_parameter<Params>(arguments)...);
  }
  LaunchWith named(const char* kernel) const { return {shape, kernel}; }
  simt::Launch shape;
  const char* name = nullptr;
};

template <class Named, class... Arguments>
void call_by_name(const Named* kernel, Arguments... arguments) {
  (*kernel)(arguments...);
}

template <class Start>
struct PendingLaunch {
  auto with(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t = nullptr) const {
    return
        [launch = LaunchWith{{grid, block, shared}}, start = start](auto... arguments) { start(launch, arguments...); };
  }
  Start start;
};
template <class Start>
PendingLaunch<Start> pending_launch(Start start) {
  return {start};
}

}  // namespace assay::adapter

// Where the kernel's name alone is no function, because its template arguments follow from the call's or its own have
// defaults, each thread calls it by that name.
#define assay_launch(...)                                                                                     \
  ::assay::adapter::pending_launch([&](const auto& assay_with, auto... assay_arguments) {                     \
    if constexpr (requires { assay_with(__VA_ARGS__, assay_arguments...); }) {                                \
      assay_with(__VA_ARGS__, assay_arguments...);                                                            \
    } else {                                                                                                  \
      auto assay_named = [=](auto... assay_each) { (__VA_ARGS__)(assay_each...); };                           \
      assay_with.named(#__VA_ARGS__)(                                                                         \
          &::assay::adapter::call_by_name<decltype(assay_named), decltype(assay_arguments)...>, &assay_named, \
          assay_arguments...);                                                                                \
    }                                                                                                         \
  })
#define assay_configured(...) .with(__VA_ARGS__)

#else

struct AssayRefusedLaunch {
  template <class... Arguments>
  void operator()(const Arguments&...) const {
    std::abort();
  }
};
#define assay_launch(...) \
  AssayRefusedLaunch {}
#define assay_configured(...)

#endif

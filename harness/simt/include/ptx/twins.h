// Kernels that are in a module twice, as the host compiler makes them and by PTX: where host code launches the one, the
// other runs.
#pragma once

#include <cstring>
#include <map>

#include "harness/simt/include/ptx/memory.h"
#include "harness/simt/include/simt/launch.h"

namespace assay::simt {

template <class... Params>
using StartTwin = void (*)(const Launch& launch, const Params&... given);

// The map is made at its first use, which is before main.
template <class... Params>
std::map<void (*)(Params...), StartTwin<Params...>>& twins() {
  static std::map<void (*)(Params...), StartTwin<Params...>> by_kernel;
  return by_kernel;
}

// A parameter of PTX, which has the size of the source's but may have another type.
template <class To, class From>
To as_parameter(const From& given) {
  if constexpr (std::is_same_v<To, ptx::Word>)
    return To(__builtin_bit_cast(uint64_t, given));
  else if constexpr (std::is_arithmetic_v<To>)
    return __builtin_bit_cast(To, given);
  else
    return To(given);
}

// Launches `by_ptx` in place of `kernel`.
template <auto kernel, auto by_ptx>
struct Twin;
template <class... Params, class... PtxParams, void (*kernel)(Params...), void (*by_ptx)(PtxParams...)>
struct Twin<kernel, by_ptx> {
  Twin() {
    twins<Params...>()[kernel] = [](const Launch& launch, const Params&... given) {
      launch_named(nullptr, by_ptx, launch, as_parameter<PtxParams>(given)...);
    };
  }
};

// Host code calls this in place of launch_kernel.
template <class... Params>
void launch_twin(void (*kernel)(Params...), const Launch& launch, const Params&... args) {
  const auto twin = twins<Params...>().find(kernel);
  if (twin == twins<Params...>().end()) {
    fprintf(stderr, "assay: a kernel is launched that nvcc's PTX does not have\n");
    abort();
  }
  twin->second(launch, args...);
}

}  // namespace assay::simt

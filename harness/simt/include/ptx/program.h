// How the text of a kernel module makes its table (simt/program_table.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "harness/simt/include/ptx/memory.h"
#include "harness/simt/include/simt/launch.h"
#include "harness/simt/include/simt/program_table.h"

namespace assay::simt {

// A parameter's value from where the caller has it.
template <class T>
T given(const void* value) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), value, sizeof(T));
  if constexpr (std::is_same_v<T, ptx::Word>)
    return T(__builtin_bit_cast(uint64_t, bytes));
  else
    return __builtin_bit_cast(T, bytes);
}

template <auto kernel>
struct Started;
template <class... Params, void (*kernel)(Params...)>
struct Started<kernel> {
  static constexpr size_t kCount = sizeof...(Params);
  static constexpr size_t kSizes[kCount + 1] = {sizeof(Params)..., 0};
  static constexpr size_t kAlignments[kCount + 1] = {alignof(Params)..., 0};

  template <size_t... i>
  static void start(const Launch& launch, void** arguments, std::index_sequence<i...>) {
    launch_kernel(kernel, launch, given<Params>(arguments[i])...);
  }
  static void start(const Launch& launch, void** arguments) {
    start(launch, arguments, std::make_index_sequence<kCount>());
  }
};

// The facts that the build has written about a function of this module (module.h); none where it knows nothing.
inline FunctionFacts facts_here(const void* function) {
  const Module module = this_module();
  for (const FunctionFacts* each = module.functions; each != module.functions_end; ++each)
    if (each->function == function) return *each;
  return {};
}

template <auto kernel>
ProgramKernel program_kernel(const char* name, bool is_observed) {
  using Start = Started<kernel>;
  const auto* const function = reinterpret_cast<const void*>(kernel);
  return {name,          Start::start, Start::kSizes, Start::kAlignments,
          Start::kCount, function,     is_observed,   facts_here(function)};
}

}  // namespace assay::simt

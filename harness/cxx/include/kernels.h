// How a launch goes from host code to a kernel: `kernel<<<grid, block>>>(x)` is a call of the kernel's host function
// with its configuration kept by the runtime, and that function passes on its own parameters. The rewritten text
// (../rewrite.h) calls what is here.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "harness/cxx/include/cuda_templates.h"
#include "harness/simt/include/simt/child_launches.h"
#include "harness/simt/include/simt/graph_conditions.h"
#include "harness/simt/include/simt/launch.h"
#include "harness/simt/include/simt/program_table.h"

namespace assay::cxx {

// Keeps what stands between <<< and >>>.
inline void configure(dim3 grid, dim3 block, size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  __cudaPushCallConfiguration(grid, block, shared_bytes, stream);
}

#if defined(ASSAY_CXX_HOST)

// In a kernel's host function, that function: its assembly is given the name (../host_assembly.h).
extern "C" __attribute__((visibility("hidden"))) const char assay_this_kernel[];

template <class... Params>
inline __attribute__((always_inline)) void launch(const Params&... params) {
  dim3 grid, block;
  size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  if (__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream) != cudaSuccess) return;
  void* arguments[] = {address_of(params)..., nullptr};
  cudaLaunchKernel(static_cast<const void*>(assay_this_kernel), grid, block, arguments, shared_bytes, stream);
}

// The description of this file's kernels, which its assembly defines, for the runtime.
extern "C" __attribute__((visibility("hidden"))) const char assay_program_description[];
extern "C" void __assayRegisterProgram(const void* description);
extern "C" void* __assayManaged(const void* description, void* host_variable);
__attribute__((constructor(101))) static inline void assay_register_program() {
  __assayRegisterProgram(assay_program_description);
}
// The variable of the device that a managed variable of host code stands for.
template <class T>
T& managed(T& host_variable) {
  return *static_cast<T*>(__assayManaged(assay_program_description, address_of(host_variable)));
}

#elif defined(ASSAY_CXX_DEVICE)

// How a module's table starts a kernel with these parameters (harness/simt/include/simt/program_table.h). Its assembly
// names this in the kernel (../device_assembly.h), and passes the kernel on.
template <class... Params>
struct __attribute__((visibility("hidden"))) Started {
  using Closure = simt::Closure<std::remove_cv_t<Params>...>;

  // Arguments that the runtime has kept need not lie at their alignment.
  template <class T>
  union Argument {
    Argument(const void* from) { std::memcpy(static_cast<void*>(this), from, sizeof(T)); }
    ~Argument() {}
    T value;
  };
  // g++ 12 does not count lambdas among the types that can be copied as bytes.
  template <class T>
  static ASSAY_SIMT_INLINE T quiet(const T& param) {
    if constexpr (std::is_trivially_copyable_v<T>)
      return simt::quiet_load(param);
    else
      return param;
  }
  // Each thread begins with it (simt/launch.h).
  static ASSAY_SIMT_KERNEL void entry(void* data) {
    const auto& call = *static_cast<const Closure*>(data);
    const auto kernel = simt::quiet_load(call.kernel);
    std::apply([=](const auto&... params) { kernel(quiet(params)...); }, call.params);
    if constexpr (!simt::kKeepsRecord) simt::quiet_store(simt::running, simt::current());
  }
  template <size_t... i>
  static void start_with(const simt::Launch& launch, void** arguments, void* kernel, std::index_sequence<i...>) {
    Closure closure{reinterpret_cast<void (*)(std::remove_cv_t<Params>...)>(kernel),
                    {Argument<std::remove_cv_t<Params> >(arguments[i]).value...}};
    const simt::Module module = simt::this_module();
    simt::launch_in_context(launch, {entry, &closure, kernel, module, simt::kKeepsRecord, nullptr});
  }
  static void start(const simt::Launch& launch, void** arguments, void* kernel) {
    start_with(launch, arguments, kernel, std::index_sequence_for<Params...>());
  }
  static constexpr size_t kCount = sizeof...(Params);
  static constexpr size_t kSizes[] = {sizeof(Params)..., alignof(Params)..., 0};
};

extern "C" __attribute__((visibility("hidden"))) simt::ProgramKernel __start_assay_program_kernels[];

// A kernel that a kernel launches (simt/child_launches.h).
template <class... Params>
struct Child {
  void (*kernel)(Params...);
  simt::Launch shape;

  void operator()(Params... params) const {
    const simt::ProgramKernel* known = __start_assay_program_kernels;
    while (known->name != nullptr && known->function != reinterpret_cast<const void*>(kernel)) ++known;
    auto* const arguments = static_cast<char*>(malloc((sizeof(Params) + ... + 1) + (alignof(Params) + ... + 0)));
    size_t at = 0;
    const auto put = [&](const auto& param) {
      at = (at + alignof(decltype(param)) - 1) / alignof(decltype(param)) * alignof(decltype(param));
      memcpy(arguments + at, address_of(param), sizeof(param));
      at += sizeof(param);
    };
    (put(params), ...);
    simt::launch_child(simt::prepare_child({.kernel = known, .shape = shape, .arguments = arguments}));
  }
};
template <class... Params>
Child<Params...> child(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes = 0,
                       cudaStream_t = nullptr) {
  return {kernel, {grid, block, shared_bytes}};
}

// Calls of the runtime in kernels. Children of a launch run in the order in which they were made, which every choice of
// streams allows, and a call that fails says so itself.
namespace of_kernels {
template <class T>
cudaError_t cudaMalloc(T** memory, size_t bytes) {
  *memory = static_cast<T*>(malloc(bytes));
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) {
  free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t = nullptr) {
  simt::copy_as_child(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline void cudaGraphSetConditional(cudaGraphConditionalHandle condition, unsigned value) {
  if (!simt::set_condition(condition, value)) __trap();
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "an error of a call of the CUDA runtime in a kernel"; }
}  // namespace of_kernels

// The module's assembly calls it when the module is loaded: what the build knows of each kernel goes into the table.
extern "C" __attribute__((used, no_sanitize("thread"))) inline void assay_complete_table() {
  for (simt::ProgramKernel* kernel = __start_assay_program_kernels; kernel->name != nullptr; ++kernel) {
    const simt::Module module = simt::this_module();
    for (const simt::FunctionFacts* each = module.functions; each != module.functions_end; ++each)
      if (each->function == kernel->function) kernel->facts = *each;
  }
}

#endif

}  // namespace assay::cxx

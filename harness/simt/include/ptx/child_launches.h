// The calls by which compiled kernels launch kernels (cudadevrt's names): `kernel<<<…>>>(…)` in device code is a buffer
// for the arguments, their stores there, and the launch.
#pragma once

#include <cstdlib>
#include <cstring>

#include "harness/simt/include/ptx/memory.h"
#include "harness/simt/include/simt/child_launches.h"

namespace assay::ptx {

// The kernels of this module, behind whose text they are listed; null where it is no part of a program.
static const simt::ProgramKernel* program_kernels = nullptr;

inline constexpr int kSuccess = 0, kMemoryAllocation = 2;  // of cudaError_t

inline const simt::ProgramKernel* program_kernel_at(const void* function) {
  for (const simt::ProgramKernel* each = program_kernels; each != nullptr && each->name != nullptr; ++each)
    if (each->function == function) return each;
  return nullptr;
}

inline size_t bytes_of_arguments(const simt::ProgramKernel& kernel) {
  size_t bytes = 0;
  for (size_t i = 0; i < kernel.parameters; ++i)
    bytes = (bytes + kernel.alignments[i] - 1) / kernel.alignments[i] * kernel.alignments[i] + kernel.sizes[i];
  return bytes;
}

// Extents as a kernel passes them: three words.
inline dim3 extents(const void* words) {
  uint32_t each[3];
  __builtin_memcpy(each, words, sizeof each);
  return {each[0], each[1], each[2]};
}

inline void call_cudaCDP2GetParameterBufferV2(void* result, const void* function, const void* grid, const void* block,
                                              const void* shared) {
  const simt::ProgramKernel* const kernel = program_kernel_at(peek<const void*>(function));
  if (kernel == nullptr) return poke<void*>(result, nullptr);
  auto* const arguments = static_cast<char*>(malloc(bytes_of_arguments(*kernel) + 1));
  poke(result, simt::prepare_child({.kernel = kernel,
                                    .shape = {extents(grid), extents(block), peek<uint32_t>(shared)},
                                    .arguments = arguments}));
}
inline void call_cudaCDP2LaunchDeviceV2(void* result, const void* arguments, const void*) {
  poke(result, simt::launch_child(peek<void*>(arguments)));
}
// Children of one launch run in the order in which they were made, which every choice of streams allows.
inline void call_cudaCDP2StreamCreateWithFlags(void* result, const void* stream, const void*) {
  uint64_t handle = 16;
  __builtin_memcpy(peek<void*>(stream), &handle, sizeof handle);
  poke(result, kSuccess);
}
inline void call_cudaCDP2StreamDestroy(void* result, const void*) { poke(result, kSuccess); }
inline void call_cudaCDP2MemcpyAsync(void* result, const void* to, const void* from, const void* bytes, const void*,
                                     const void*) {
  simt::copy_as_child(peek<void*>(to), peek<const void*>(from), peek<size_t>(bytes));
  poke(result, kSuccess);
}
inline void call_cudaCDP2Malloc(void* result, const void* pointer, const void* bytes) {
  void* const memory = malloc(peek<size_t>(bytes));
  __builtin_memcpy(peek<void*>(pointer), &memory, sizeof memory);
  poke(result, memory == nullptr ? kMemoryAllocation : kSuccess);
}
inline void call_cudaCDP2Free(void* result, const void* memory) {
  free(peek<void*>(memory));
  poke(result, kSuccess);
}
// An error's words are for printf.
inline void call_cudaCDP2GetErrorString(void* result, const void*) {
  poke(result, "an error of a call of the CUDA runtime in a kernel");
}
// The call that fails says so itself.
inline void call_cudaCDP2GetLastError(void* result) { poke(result, kSuccess); }
inline void call_cudaCDP2PeekAtLastError(void* result) { poke(result, kSuccess); }

}  // namespace assay::ptx

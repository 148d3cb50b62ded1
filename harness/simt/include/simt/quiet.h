// Loads and stores of the executor's own state inside kernels, such as threadIdx and the line of a barrier.
//
// In a checked module (-fsanitize=thread) every plain load would call a hook; one that the compiler sees as assembly
// does not. Elsewhere these are plain loads and stores.
#pragma once

#include <cstdint>

#include "harness/simt/include/simt/vector_types.h"

namespace assay::simt {

template <class T>
inline __attribute__((always_inline)) T quiet_load(const T& from) {
#if defined(ASSAY_CPU_CHECKED) && defined(__x86_64__)
  if constexpr (sizeof(T) == 8) {
    uint64_t bits;
    asm("movq %1, %0" : "=r"(bits) : "m"(from));
    return __builtin_bit_cast(T, bits);
  } else if constexpr (sizeof(T) == 4) {
    uint32_t bits;
    asm("movl %1, %0" : "=r"(bits) : "m"(from));
    return __builtin_bit_cast(T, bits);
  } else if constexpr (sizeof(T) == 2) {
    uint16_t bits;
    asm("movw %1, %0" : "=r"(bits) : "m"(from));
    return __builtin_bit_cast(T, bits);
  } else if constexpr (sizeof(T) == 1) {
    uint8_t bits;
    asm("movb %1, %0" : "=q"(bits) : "m"(from));
    return __builtin_bit_cast(T, bits);
  }
#endif
  return from;
}

template <class T>
inline __attribute__((always_inline)) void quiet_store(T& to, T value) {
#if defined(ASSAY_CPU_CHECKED) && defined(__x86_64__)
  if constexpr (sizeof(T) == 8) {
    asm volatile("movq %1, %0" : "=m"(to) : "r"(__builtin_bit_cast(uint64_t, value)));
    return;
  } else if constexpr (sizeof(T) == 4) {
    asm volatile("movl %1, %0" : "=m"(to) : "r"(__builtin_bit_cast(uint32_t, value)));
    return;
  } else if constexpr (sizeof(T) == 2) {
    asm volatile("movw %1, %0" : "=m"(to) : "r"(__builtin_bit_cast(uint16_t, value)));
    return;
  } else if constexpr (sizeof(T) == 1) {
    asm volatile("movb %1, %0" : "=m"(to) : "q"(__builtin_bit_cast(uint8_t, value)));
    return;
  }
#endif
  to = value;
}

#if defined(ASSAY_CPU_CHECKED)
// threadIdx and its like, from the address of three words: an access to a member would have its alignment checked. All
// are uint3 here, dim3 included, because a class with constructors would be built in memory, with hooks.
inline __attribute__((always_inline)) uint3 quiet_index(const void* address) {
  using Word [[gnu::aligned(1), gnu::may_alias]] = uint32_t;
  const auto* const words = static_cast<const Word*>(address);
#if defined(__x86_64__)
  uint32_t x, y, z;  // not members: what a kernel does not use must vanish, and an asm statement's memory would not
  asm("movl %1, %0" : "=r"(x) : "m"(words[0]));
  asm("movl %1, %0" : "=r"(y) : "m"(words[1]));
  asm("movl %1, %0" : "=r"(z) : "m"(words[2]));
  return {x, y, z};
#else
  return {words[0], words[1], words[2]};
#endif
}
#endif

}  // namespace assay::simt

// Loads and stores of the executor's own state inside kernels, such as threadIdx and the line of a barrier.
//
// In a checked module (-fsanitize=thread) every plain load would call a hook; one that the compiler sees as assembly
// does not. Elsewhere these are plain loads and stores.
#pragma once

#include <cstdint>

#include "harness/device/cpu/include/simt/vector_types.h"

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

// threadIdx and its like: the same object in the fast build, a copy of what is used of it in the checked one.
#if defined(ASSAY_CPU_CHECKED)
inline __attribute__((always_inline)) uint3 quiet_index(const uint3& v) {
  return {quiet_load(v.x), quiet_load(v.y), quiet_load(v.z)};
}
inline __attribute__((always_inline)) dim3 quiet_index(const dim3& v) {
  return {quiet_load(v.x), quiet_load(v.y), quiet_load(v.z)};
}
#else
inline __attribute__((always_inline)) const uint3& quiet_index(const uint3& v) { return v; }
inline __attribute__((always_inline)) const dim3& quiet_index(const dim3& v) { return v; }
#endif

}  // namespace assay::simt

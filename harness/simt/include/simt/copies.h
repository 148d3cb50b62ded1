// memcpy, memmove and memset of a checked kernel.
//
// g++ expands a copy of constant size into plain moves, and calls the library's function for the others; neither has
// hooks (-fsanitize=thread expects the library to look). Here all of them call the hooks (checked/hooks.cpp). clang
// leaves every copy a call, which build/finish redirects to the same hooks.
#pragma once

#include <string.h>

#if defined(ASSAY_CPU_CHECKED) && !defined(__clang__)

extern "C" {
void* __tsan_memcpy(void* to, const void* from, size_t bytes) noexcept;
void* __tsan_memmove(void* to, const void* from, size_t bytes) noexcept;
void* __tsan_memset(void* to, int value, size_t bytes) noexcept;
}

// A copy of one word becomes a load and a store before the hooks are inserted: `memcpy(&bits, &x, 4)` stays free.
#define ASSAY_SIMT_STAYS_BUILTIN(bytes) \
  (__builtin_is_constant_evaluated() || (__builtin_constant_p(bytes) && bytes <= 16 && (bytes & (bytes - 1)) == 0))

[[gnu::always_inline]] inline constexpr void* assay_simt_memcpy(void* to, const void* from, size_t bytes) {
  return ASSAY_SIMT_STAYS_BUILTIN(bytes) ? __builtin_memcpy(to, from, bytes) : __tsan_memcpy(to, from, bytes);
}
[[gnu::always_inline]] inline constexpr void* assay_simt_memmove(void* to, const void* from, size_t bytes) {
  return ASSAY_SIMT_STAYS_BUILTIN(bytes) ? __builtin_memmove(to, from, bytes) : __tsan_memmove(to, from, bytes);
}
[[gnu::always_inline]] inline constexpr void* assay_simt_memset(void* to, int value, size_t bytes) {
  return __builtin_is_constant_evaluated() ? __builtin_memset(to, value, bytes) : __tsan_memset(to, value, bytes);
}

// The library's names, as _FORTIFY_SOURCE has them, and those that kernels and the standard library's templates use.
extern "C" {
[[gnu::gnu_inline, gnu::always_inline]] inline void* memcpy(void* __restrict to, const void* __restrict from,
                                                            size_t bytes) noexcept {
  return assay_simt_memcpy(to, from, bytes);
}
[[gnu::gnu_inline, gnu::always_inline]] inline void* memmove(void* to, const void* from, size_t bytes) noexcept {
  return assay_simt_memmove(to, from, bytes);
}
[[gnu::gnu_inline, gnu::always_inline]] inline void* memset(void* to, int value, size_t bytes) noexcept {
  return assay_simt_memset(to, value, bytes);
}
}
#define __builtin_memcpy assay_simt_memcpy
#define __builtin_memmove assay_simt_memmove
#define __builtin_memset assay_simt_memset

#endif

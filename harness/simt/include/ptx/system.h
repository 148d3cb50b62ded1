// The functions that compilers call and never define: printf, assert, malloc.
//
// Parameters and results are bytes, as a PTX call passes them: what follows returns first, then what is given.
#pragma once

#include <stdio.h>
#include <string.h>

#include "harness/simt/include/ptx/memory.h"
#include "harness/simt/include/simt/sync.h"
#include "harness/simt/include/simt/waiting_clock.h"

namespace assay::simt {
// How many launches this process has begun (runtime/launch.cpp).
__attribute__((visibility("default"))) uint64_t launch_number();
}  // namespace assay::simt

namespace assay::ptx {

// One conversion of a format, "%-8.3f", with its value from the buffer; how long it is.
inline size_t print_one(const char* format, const unsigned char*& at) {
  char one[64] = "%";
  size_t length = 1, used = 1;
  bool is_long = false;
  const auto take = [&](size_t bytes) {
    at += (bytes - reinterpret_cast<uint64_t>(at) % bytes) % bytes;
    at += bytes;
    return at - bytes;
  };
  for (; format[used] != '\0' && strchr("-+ #0123456789.*lhzjt", format[used]) != nullptr && length < 40; ++used) {
    is_long = is_long || strchr("lzjt", format[used]) != nullptr;
    if (format[used] == '*')
      length += static_cast<size_t>(snprintf(one + length, 12, "%d", peek<int>(take(4))));
    else
      one[length++] = format[used];
  }
  const char kind = format[used];
  if (kind == '\0') return used;
  one[length] = kind;
  if (kind == '%')
    putchar('%');
  else if (strchr("eEfFgGaA", kind) != nullptr)
    printf(one, peek<double>(take(8)));
  else if (strchr("sp", kind) != nullptr)
    printf(one, peek<const char*>(take(8)));
  else if (is_long)
    printf(one, peek<long long>(take(8)));
  else
    printf(one, peek<int>(take(4)));
  return used + 1;
}

// The place where the blocks of a cooperative launch meet, which cooperative_groups finds by %envreg1 and %envreg2.
// Cleared for each launch, because one that is broken off leaves a barrier half full. It is the driver's memory and no
// kernel's, so that clearing it is no access.
__attribute__((no_sanitize_thread, noinline)) inline uint64_t grid_workspace() {
  alignas(8) static uint32_t words[4];
  static uint64_t cleared_for = 0;
  if (cleared_for != simt::launch_number()) {
    for (uint32_t& word : words) word = 0;
    cleared_for = simt::launch_number();
  }
  return reinterpret_cast<uint64_t>(words);
}

inline void call_vprintf(void* result, const void* format_given, const void* values_given) {
  const char* format = peek<const char*>(format_given);
  const auto* values = peek<const unsigned char*>(values_given);
  while (*format != '\0') {
    if (*format == '%') {
      format += print_one(format, values);
    } else {
      putchar(*format++);
    }
  }
  poke<int>(result, 0);
}
inline void call_assertfail(const void* condition, const void* file, const void* line, const void*, const void*) {
  simt::assertion_failed(peek<const char*>(condition), peek<const char*>(file), peek<unsigned>(line));
  __builtin_unreachable();
}
inline void call_malloc(void* result, const void* bytes) { poke(result, malloc(peek<size_t>(bytes))); }
inline void call_free(const void* address) { free(peek<void*>(address)); }

}  // namespace assay::ptx

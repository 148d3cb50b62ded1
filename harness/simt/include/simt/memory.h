// Loads and stores with cache hints: the hint has no meaning here, the access has.
#pragma once

#include <stdlib.h>  // malloc() and free() of kernels (runtime/device_heap.h)
#include <time.h>    // clock(): the C library's serves, and a second one would clash with it

#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/limits.h"
#include "harness/simt/include/simt/module.h"

#define ASSAY_CACHED_LOAD(name)                \
  template <class T>                           \
  ASSAY_SIMT_INLINE T name(const T* address) { \
    return *address;                           \
  }
ASSAY_CACHED_LOAD(__ldg)
ASSAY_CACHED_LOAD(__ldca)
ASSAY_CACHED_LOAD(__ldcg)
ASSAY_CACHED_LOAD(__ldcs)
ASSAY_CACHED_LOAD(__ldlu)
ASSAY_CACHED_LOAD(__ldcv)
#undef ASSAY_CACHED_LOAD

#define ASSAY_CACHED_STORE(name)                     \
  template <class T, class U>                        \
  ASSAY_SIMT_INLINE void name(T* address, U value) { \
    *address = static_cast<T>(value);                \
  }
ASSAY_CACHED_STORE(__stwb)
ASSAY_CACHED_STORE(__stcg)
ASSAY_CACHED_STORE(__stcs)
ASSAY_CACHED_STORE(__stwt)
#undef ASSAY_CACHED_STORE

#if defined(__x86_64__)
inline long long clock64() { return static_cast<long long>(__builtin_ia32_rdtsc()); }
#else
inline long long clock64() { return __builtin_readcyclecounter(); }
#endif
inline unsigned __smid() { return 0; }

inline bool __isShared(const void* address) {
  const auto within = [&](const char* begin, const char* end) { return address >= begin && address < end; };
  const ::assay::simt::Module module = ::assay::simt::this_module();
  return within(module.shared, module.shared_end) ||
         (module.dynamic != nullptr && within(module.dynamic, module.dynamic + ::assay::simt::kSharedBytesMax));
}
inline bool __isGlobal(const void* address) { return !__isShared(address); }
template <class T>
inline size_t __cvta_generic_to_shared(const T* address) {
  return reinterpret_cast<size_t>(address);
}

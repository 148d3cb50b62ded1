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

// An address of shared memory alone is an offset from shared_base(), of which 32 bits count: shared memory is part of
// the kernel's module, so everything is within reach of one place in it.
namespace assay::simt {
inline char shared_anchor;
// Aligned, because kernels align offsets of shared memory and expect aligned addresses.
ASSAY_SIMT_INLINE uint64_t shared_base() { return reinterpret_cast<uint64_t>(&shared_anchor) & ~uint64_t{0xfff}; }
ASSAY_SIMT_INLINE uint64_t from_shared(uint64_t offset) {
  return shared_base() + static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(offset)));
}
ASSAY_SIMT_INLINE uint64_t to_shared(uint64_t address) { return address - shared_base(); }
}  // namespace assay::simt
inline size_t __cvta_generic_to_shared(const void* address) {
  return static_cast<uint32_t>(::assay::simt::to_shared(reinterpret_cast<uint64_t>(address)));
}
inline void* __cvta_shared_to_generic(size_t offset) {
  return reinterpret_cast<void*>(::assay::simt::from_shared(offset));
}
inline size_t __cvta_generic_to_global(const void* address) { return reinterpret_cast<size_t>(address); }
inline void* __cvta_global_to_generic(size_t address) { return reinterpret_cast<void*>(address); }

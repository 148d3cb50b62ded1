// Atomic functions with an order and a scope (__nv_atomic_*, of CUDA 12.8 on): every order is at least kept, because
// threads run one at a time.
#pragma once

#include "harness/simt/include/prelude.h"

enum __nv_atomic_order : int {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum __nv_thread_scope : int {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

template <class T>
ASSAY_SIMT_INLINE T __nv_atomic_load_n(T* from, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  return ::assay::simt::atomic_update(from, [](T old) { return old; });
}
template <class T>
ASSAY_SIMT_INLINE T __nv_atomic_exchange_n(T* at, std::type_identity_t<T> value, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  return ::assay::simt::atomic_update<::assay::simt::checked::AtomicKind::exchange>(at, [=](T) { return value; });
}
template <class T>
ASSAY_SIMT_INLINE void __nv_atomic_store_n(T* to, std::type_identity_t<T> value, int order,
                                           int = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_exchange_n(to, value, order);
}
#define ASSAY_SCOPED(name, expression)                                                          \
  template <class T>                                                                            \
  ASSAY_SIMT_INLINE T __nv_atomic_fetch_##name(T* at, std::type_identity_t<T> value, int,       \
                                               int = __NV_THREAD_SCOPE_SYSTEM) {                \
    return ::assay::simt::atomic_update(at, [=](T old) { return static_cast<T>(expression); }); \
  }                                                                                             \
  template <class T>                                                                            \
  ASSAY_SIMT_INLINE void __nv_atomic_##name(T* at, std::type_identity_t<T> value, int order,    \
                                            int = __NV_THREAD_SCOPE_SYSTEM) {                   \
    __nv_atomic_fetch_##name(at, value, order);                                                 \
  }
ASSAY_SCOPED(add, old + value)
ASSAY_SCOPED(sub, old - value)
ASSAY_SCOPED(and, old& value)
ASSAY_SCOPED(or, old | value)
ASSAY_SCOPED(xor, old ^ value)
ASSAY_SCOPED(min, value < old ? value : old)
ASSAY_SCOPED(max, value > old ? value : old)
#undef ASSAY_SCOPED
template <class T>
ASSAY_SIMT_INLINE bool __nv_atomic_compare_exchange_n(T* at, T* expected, std::type_identity_t<T> value, bool, int, int,
                                                      int = __NV_THREAD_SCOPE_SYSTEM) {
  const T wanted = *expected;
  constexpr auto kKind = ::assay::simt::checked::AtomicKind::compare_and_swap;
  const T old = ::assay::simt::atomic_update<kKind>(at, [=](T old) { return old == wanted ? value : old; });
  *expected = old;
  return old == wanted;
}

// Atomic functions with an order and a scope (__nv_atomic_*, of CUDA 12.8 on).
#pragma once

#include "harness/simt/include/prelude.h"
#include "harness/simt/include/simt/scoped_atomics.h"

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

namespace assay::cxx {

using AtomicKind = ::assay::simt::checked::AtomicKind;

template <AtomicKind kind = AtomicKind::update, class T, class Update>
ASSAY_SIMT_INLINE T ordered_update(T* at, int order, int scope, Update update) {
  const bool releases = order >= __NV_ATOMIC_RELEASE,
             acquires = order != __NV_ATOMIC_RELAXED && order != __NV_ATOMIC_RELEASE;
  const bool in_block = scope == __NV_THREAD_SCOPE_THREAD || scope == __NV_THREAD_SCOPE_BLOCK;
  using ::assay::simt::checked::Scope;
  return ::assay::simt::ordered_update<kind>(at, {acquires, releases}, in_block ? Scope::block : Scope::device, update);
}

}  // namespace assay::cxx

template <class T>
ASSAY_SIMT_INLINE T __nv_atomic_load_n(T* from, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return ::assay::cxx::ordered_update(from, order, scope, [](T old) { return old; });
}
template <class T>
ASSAY_SIMT_INLINE T __nv_atomic_exchange_n(T* at, std::type_identity_t<T> value, int order,
                                           int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return ::assay::cxx::ordered_update<::assay::cxx::AtomicKind::exchange>(at, order, scope, [=](T) { return value; });
}
template <class T>
ASSAY_SIMT_INLINE void __nv_atomic_store_n(T* to, std::type_identity_t<T> value, int order,
                                           int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_exchange_n(to, value, order, scope);
}
#define ASSAY_SCOPED(name, expression)                                                                        \
  template <class T>                                                                                          \
  ASSAY_SIMT_INLINE T __nv_atomic_fetch_##name(T* at, std::type_identity_t<T> value, int order,               \
                                               int scope = __NV_THREAD_SCOPE_SYSTEM) {                        \
    return ::assay::cxx::ordered_update(at, order, scope, [=](T old) { return static_cast<T>(expression); }); \
  }                                                                                                           \
  template <class T>                                                                                          \
  ASSAY_SIMT_INLINE void __nv_atomic_##name(T* at, std::type_identity_t<T> value, int order,                  \
                                            int scope = __NV_THREAD_SCOPE_SYSTEM) {                           \
    __nv_atomic_fetch_##name(at, value, order, scope);                                                        \
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
ASSAY_SIMT_INLINE bool __nv_atomic_compare_exchange_n(T* at, T* expected, std::type_identity_t<T> value, bool,
                                                      int order, int, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  const T wanted = *expected;
  constexpr auto kKind = ::assay::cxx::AtomicKind::compare_and_swap;
  const T old =
      ::assay::cxx::ordered_update<kKind>(at, order, scope, [=](T now) { return now == wanted ? value : now; });
  *expected = old;
  return old == wanted;
}

// Atomic operations on every type that CUDA has them for.
//
// Fibers of one OS thread cannot interrupt each other, so a plain read and write is atomic. An operation that changes
// nothing counts towards giving way, because that is what spinning looks like (runtime/spin.cpp). The _system forms are
// the same as the plain ones; what the _block forms order, and where they are atomic, is the checks' business.
#pragma once

#include "harness/simt/include/simt/checked_calls.h"
#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/memory.h"

namespace assay::simt {

template <size_t bytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using type = uint8_t;
};
template <>
struct BitsOf<2> {
  using type = uint16_t;
};
template <>
struct BitsOf<4> {
  using type = uint32_t;
};
template <>
struct BitsOf<8> {
  using type = uint64_t;
};

inline __attribute__((noinline, cold)) void atomic_without_effect() {
  if (!prepare_to_give_way()) return;
  switch_to(give_way(current()));
  quiet_store(current()->site, kSiteBarrier);
}

ASSAY_SIMT_INLINE void note_atomic(bool changed) {
  if (changed) {
    quiet_store(block.atomics_changed, true);
  } else {
    quiet_store(block.spin_budget, quiet_load(block.spin_budget) - 1);
    if (quiet_load(block.spin_budget) == 0) [[unlikely]]
      atomic_without_effect();
  }
}

// Replaces *address by update(*address) and returns the old value.
template <checked::AtomicKind kind = checked::AtomicKind::update, checked::Scope scope = checked::Scope::device,
          class T, class Update>
ASSAY_SIMT_INLINE T atomic_update(T* address, Update update) {
#if defined(ASSAY_CPU_CHECKED)
  checked::check_atomic(address, sizeof(T), kind, current(), scope);
#endif
  using Bits = typename BitsOf<sizeof(T)>::type;
  auto* const bits = reinterpret_cast<Bits*>(address);
  Bits new_bits;
  T old;
#if defined(ASSAY_CPU_CHECKED)  // what the compiler sees as an access would be checked as a plain one
  const Bits old_bits = quiet_load(*bits);
#else  // what it sees as a plain load, it would take out of a loop that waits
  const Bits old_bits = __atomic_load_n(bits, __ATOMIC_RELAXED);
#endif
  __builtin_memcpy(&old, &old_bits, sizeof old);
  const T changed = update(old);
  __builtin_memcpy(&new_bits, &changed, sizeof changed);
  quiet_store(*bits, new_bits);
  note_atomic(old_bits != new_bits);
  return old;
}

inline float without_subnormals(float x) { return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x; }

// A float atomic's sum. The unit that adds in global memory takes subnormals for 0 and makes none, whatever a kernel is
// compiled with (REDG and ATOMG are .FTZ); in shared memory a thread adds (PTX ISA, `atom`).
inline float sum_at(const float* address, float old, float value) {
  if (__isShared(address)) return old + value;
  return without_subnormals(without_subnormals(old) + without_subnormals(value));
}

}  // namespace assay::simt

#define ASSAY_ATOMIC_FORM(T, name, form, scope, expression)                                \
  inline T form(T* address, T value) {                                                     \
    return ::assay::simt::atomic_update<::assay::simt::checked::atomic_kind(name),         \
                                        ::assay::simt::checked::Scope::scope>(             \
        address, [&]([[maybe_unused]] T old) -> T { return static_cast<T>(expression); }); \
  }
#define ASSAY_ATOMIC_FORMS(T, name, expression)                \
  ASSAY_ATOMIC_FORM(T, #name, name, device, expression)        \
  ASSAY_ATOMIC_FORM(T, #name, name##_block, block, expression) \
  inline T name##_system(T* address, T value) { return name(address, value); }

#define ASSAY_ATOMIC_INTEGER(T)                               \
  ASSAY_ATOMIC_FORMS(T, atomicAdd, old + value)               \
  ASSAY_ATOMIC_FORMS(T, atomicMin, value < old ? value : old) \
  ASSAY_ATOMIC_FORMS(T, atomicMax, value > old ? value : old) \
  ASSAY_ATOMIC_FORMS(T, atomicAnd, old& value)                \
  ASSAY_ATOMIC_FORMS(T, atomicOr, old | value)                \
  ASSAY_ATOMIC_FORMS(T, atomicXor, old ^ value)               \
  ASSAY_ATOMIC_FORMS(T, atomicExch, value)

// Sums wrap around, as on a GPU: the signed ones are made from the unsigned.
ASSAY_ATOMIC_INTEGER(unsigned)
ASSAY_ATOMIC_INTEGER(unsigned long long)
ASSAY_ATOMIC_FORMS(unsigned, atomicSub, old - value)
ASSAY_ATOMIC_FORMS(unsigned, atomicInc, old >= value ? 0u : old + 1u)
ASSAY_ATOMIC_FORMS(unsigned, atomicDec, old == 0u || old > value ? value : old - 1u)
ASSAY_ATOMIC_FORMS(int, atomicAdd, static_cast<unsigned>(old) + static_cast<unsigned>(value))
ASSAY_ATOMIC_FORMS(int, atomicSub, static_cast<unsigned>(old) - static_cast<unsigned>(value))
ASSAY_ATOMIC_FORMS(int, atomicMin, value < old ? value : old)
ASSAY_ATOMIC_FORMS(int, atomicMax, value > old ? value : old)
ASSAY_ATOMIC_FORMS(int, atomicAnd, old& value)
ASSAY_ATOMIC_FORMS(int, atomicOr, old | value)
ASSAY_ATOMIC_FORMS(int, atomicXor, old ^ value)
ASSAY_ATOMIC_FORMS(int, atomicExch, value)
ASSAY_ATOMIC_FORMS(long long, atomicMin, value < old ? value : old)
ASSAY_ATOMIC_FORMS(long long, atomicMax, value > old ? value : old)
ASSAY_ATOMIC_FORMS(long long, atomicAnd, old& value)
ASSAY_ATOMIC_FORMS(long long, atomicOr, old | value)
ASSAY_ATOMIC_FORMS(long long, atomicXor, old ^ value)
ASSAY_ATOMIC_FORMS(float, atomicAdd, ::assay::simt::sum_at(address, old, value))
ASSAY_ATOMIC_FORMS(float, atomicExch, value)
ASSAY_ATOMIC_FORMS(double, atomicAdd, old + value)

#define ASSAY_ATOMIC_CAS_FORM(T, form, scope)                                                 \
  inline T form(T* address, T expected, T desired) {                                          \
    return ::assay::simt::atomic_update<::assay::simt::checked::AtomicKind::compare_and_swap, \
                                        ::assay::simt::checked::Scope::scope>(                \
        address, [&](T old) -> T { return old == expected ? desired : old; });                \
  }
#define ASSAY_ATOMIC_CAS(T)                        \
  ASSAY_ATOMIC_CAS_FORM(T, atomicCAS, device)      \
  ASSAY_ATOMIC_CAS_FORM(T, atomicCAS_block, block) \
  inline T atomicCAS_system(T* address, T expected, T desired) { return atomicCAS(address, expected, desired); }
ASSAY_ATOMIC_CAS(int)
ASSAY_ATOMIC_CAS(unsigned)
ASSAY_ATOMIC_CAS(unsigned long long)
ASSAY_ATOMIC_CAS(unsigned short)
#undef ASSAY_ATOMIC_CAS
#undef ASSAY_ATOMIC_CAS_FORM

// Vector forms, of compute capability 9.0: atomic for each element, not for the whole.
inline float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
inline float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
          atomicAdd(&address->w, value.w)};
}

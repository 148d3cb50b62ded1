// Loads, stores, atomics and asynchronous copies. Each is one access of its full width, so that alignment, races and
// sectors are seen as they are on a GPU; what the compiler must not see as an access goes through the executor's own
// functions.
//
// A generic address is the host's. An address of shared memory is an offset (simt/memory.h).
#pragma once

#include <stdlib.h>

#include "harness/simt/include/ptx/floating.h"
#include "harness/simt/include/ptx/integer.h"
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/include/simt/atomics.h"
#include "harness/simt/include/simt/memory.h"

namespace assay::ptx {

using simt::from_shared;
using simt::shared_base;
using simt::to_shared;
inline bool is_shared(uint64_t address) { return __isShared(reinterpret_cast<const void*>(address)); }

template <class T, int count>
struct Vector {
  T at[count];
};
using Words4 = uint32_t __attribute__((vector_size(16)));
template <int bytes>
using Access = std::conditional_t<bytes == 16, Words4, Unsigned<bytes>>;

template <class T>
ASSAY_SIMT_INLINE T load(uint64_t address) {
  return *reinterpret_cast<const T*>(address);
}
template <class T>
ASSAY_SIMT_INLINE void store(uint64_t address, T value) {
  *reinterpret_cast<T*>(address) = value;
}
template <class T, int count>
ASSAY_SIMT_INLINE Vector<T, count> load_vector(uint64_t address) {
  return __builtin_bit_cast(Vector<T, count>, load<Access<sizeof(T) * count>>(address));
}
template <class T, int count>
ASSAY_SIMT_INLINE void store_vector(uint64_t address, Vector<T, count> value) {
  using Whole = Access<sizeof(T) * count>;
  store<Whole>(address, __builtin_bit_cast(Whole, value));
}
template <class T>
ASSAY_SIMT_INLINE T load_volatile(uint64_t address) {
  return *reinterpret_cast<const volatile T*>(address);
}
template <class T>
ASSAY_SIMT_INLINE void store_volatile(uint64_t address, T value) {
  *reinterpret_cast<volatile T*>(address) = value;
}
// .relaxed, .acquire, .release: the bits of any type of 1 to 8 bytes.
using simt::checked::Scope;
template <class T, Scope scope = Scope::device>
inline T load_ordered(uint64_t address) {
  using Bits = Unsigned<sizeof(T)>;
  constexpr auto kKind = simt::checked::AtomicKind::update;
  return as<T>(simt::atomic_update<kKind, scope>(reinterpret_cast<Bits*>(address), [](Bits old) { return old; }));
}
template <class T, Scope scope = Scope::device>
inline void store_ordered(uint64_t address, T value) {
  using Bits = Unsigned<sizeof(T)>;
  constexpr auto kKind = simt::checked::AtomicKind::exchange;
  simt::atomic_update<kKind, scope>(reinterpret_cast<Bits*>(address), [&](Bits) { return as<Bits>(value); });
}
// Eight bytes within the update of others, where no thread comes between.
template <simt::checked::AtomicKind kind, Scope scope, class Update>
inline uint64_t with_others(uint64_t address, Update update) {
  auto* const bits = reinterpret_cast<uint64_t*>(address);
#if defined(ASSAY_CPU_CHECKED)
  simt::checked::check_atomic(bits, sizeof *bits, kind, simt::current(), scope);
  const uint64_t old = simt::quiet_load(*bits);
#else
  const uint64_t old = __atomic_load_n(bits, __ATOMIC_RELAXED);
#endif
  const uint64_t changed = update(old);
  simt::quiet_store(*bits, changed);
  if (changed != old) simt::note_atomic(true);
  return old;
}
// Vectors of up to 16 bytes, whole: the ISA promises that of each element only, and the scans of CUB, which keep a
// state beside its value, count on more.
template <class T, int count, Scope scope = Scope::device>
inline Vector<T, count> load_vector_ordered(uint64_t address) {
  constexpr size_t kBytes = sizeof(T) * count;
  if constexpr (kBytes <= 8) {
    return __builtin_bit_cast(Vector<T, count>, load_ordered<Unsigned<kBytes>, scope>(address));
  } else {
    uint64_t halves[2];
    halves[1] = simt::atomic_update<simt::checked::AtomicKind::update, scope>(
        reinterpret_cast<uint64_t*>(address + 8), [&](uint64_t upper) {
          halves[0] = with_others<simt::checked::AtomicKind::update, scope>(address, [](uint64_t old) { return old; });
          return upper;
        });
    return __builtin_bit_cast(Vector<T, count>, halves);
  }
}
template <class T, int count, Scope scope = Scope::device>
inline void store_vector_ordered(uint64_t address, Vector<T, count> value) {
  constexpr size_t kBytes = sizeof(T) * count;
  if constexpr (kBytes <= 8) {
    store_ordered<Unsigned<kBytes>, scope>(address, __builtin_bit_cast(Unsigned<kBytes>, value));
  } else {
    uint64_t halves[2];
    __builtin_memcpy(halves, &value, sizeof halves);
    simt::atomic_update<simt::checked::AtomicKind::exchange, scope>(
        reinterpret_cast<uint64_t*>(address + 8), [&](uint64_t) {
          with_others<simt::checked::AtomicKind::exchange, scope>(address, [&](uint64_t) { return halves[0]; });
          return halves[1];
        });
  }
}

// Parameters, which are memory of the thread's own.
template <class T>
ASSAY_SIMT_INLINE T peek(const void* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
ASSAY_SIMT_INLINE void poke(void* to, T value) {
  __builtin_memcpy(to, &value, sizeof value);
}
// The value that a launch gives a 64-bit parameter: an address or a whole number.
struct Word {
  template <class A>
  Word(const A& given) {
    if constexpr (std::is_arithmetic_v<A>)
      bits = static_cast<uint64_t>(given);
    else if constexpr (std::is_pointer_v<A>)
      bits = reinterpret_cast<uint64_t>(given);
    else
      bits = reinterpret_cast<uint64_t>(static_cast<void*>(given));
  }
  uint64_t bits;
};
// A parameter of a class, from any value of its size; one that holds a pointer, as Thrust's do, also from a tensor.
template <int size, int align>
struct alignas(align) Bytes {
  template <class A>
  Bytes(const A& given) {
    if constexpr (sizeof(A) != size && size == sizeof(void*) && std::is_convertible_v<const A&, void*>) {
      const void* const pointer = static_cast<void*>(given);
      __builtin_memcpy(at, &pointer, sizeof at);
    } else {
      static_assert(sizeof(A) == size, "the kernel's parameter has another size than what the adapter gives it");
      __builtin_memcpy(at, &given, sizeof at);
    }
  }
  unsigned char at[size];
};
enum class Atomic { add, min, max, bit_and, bit_or, bit_xor, exch, inc, dec };

template <Atomic op, class T>
inline T combined(T old, T value) {
  if constexpr (op == Atomic::add) return add<T, 0>(old, value);
  if constexpr (op == Atomic::exch) return value;
  if constexpr (op == Atomic::min) return min<T, 0>(old, value);
  if constexpr (op == Atomic::max) return max<T, 0>(old, value);
  if constexpr (is_whole<T>) {
    if constexpr (op == Atomic::bit_and) return static_cast<T>(old & value);
    if constexpr (op == Atomic::bit_or) return static_cast<T>(old | value);
    if constexpr (op == Atomic::bit_xor) return static_cast<T>(old ^ value);
    if constexpr (op == Atomic::inc) return old >= value ? T{0} : static_cast<T>(old + 1);
    if constexpr (op == Atomic::dec) return old == 0 || old > value ? value : static_cast<T>(old - 1);
  }
}
template <Atomic op, class T, Scope scope = Scope::device>
inline T atom(uint64_t address, T value) {
  constexpr auto kKind = op == Atomic::exch ? simt::checked::AtomicKind::exchange : simt::checked::AtomicKind::update;
  auto* const at = reinterpret_cast<T*>(address);
  return simt::atomic_update<kKind, scope>(at, [&](T old) {
    if constexpr (op == Atomic::add && std::is_same_v<T, float>) return canonical(simt::sum_at(at, old, value));
    return combined<op>(old, value);
  });
}
template <class T, Scope scope = Scope::device>
inline T atom_cas(uint64_t address, T expected, T desired) {
  return simt::atomic_update<simt::checked::AtomicKind::compare_and_swap, scope>(
      reinterpret_cast<T*>(address), [&](T old) { return old == expected ? desired : old; });
}

ASSAY_SIMT_INLINE void cp_async(uint64_t to, uint64_t from, uint64_t bytes, uint64_t source_bytes) {
  simt::begin_async_copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes,
                         source_bytes < bytes ? source_bytes : bytes);
}

}  // namespace assay::ptx

// The functions that -fsanitize=thread calls at every access: the fast path of the checks.
//
// Compiled once for each way of switching and linked into every checked kernel module, hidden, so a call is direct and
// the reserved register is readable. The fast path only decides that nothing is wrong and updates the record;
// everything else goes to check_access(), which starts from the beginning.
#include "harness/simt/checked/quick_reads.h"
#include "harness/simt/include/simt/fiber.h"

namespace assay::simt::checked {
namespace {

ASSAY_SIMT_INLINE uint32_t this_thread(const HookState& s) {
  const uint3& t = current()->thread_idx;
  return t.x + t.y * s.stride_y + t.z * s.stride_z;
}

ASSAY_SIMT_INLINE bool read_shared(const HookState& s, Cell& cell, uint64_t me, const void* pc) {
  const uint64_t write = cell.write, read = cell.read;
  if (write < s.block || !settled_shared(s, write, me)) return false;
  if (settled_shared(s, read, me))
    cell.read = record(s, me, pc);
  else if ((read & kWide) == 0)
    return false;
  return true;
}

ASSAY_SIMT_INLINE bool write_shared(const HookState& s, Cell& cell, uint64_t me, const void* pc) {
  if (!settled_shared(s, cell.write, me) || !settled_shared(s, cell.read, me)) return false;
  cell.write = record(s, me, pc);
  return true;
}

ASSAY_SIMT_INLINE bool write_global(const HookState& s, Cell& cell, uint64_t me, const void* pc) {
  if (!settled_global(s, cell.write, me) || !settled_global(s, cell.read, me)) return false;
  cell.write = record(s, me, pc);
  return true;
}

// Two bytes of a cell that holds halves (half_records.cpp says what they mean): first use since the block's last
// barrier, or a thread alone with its element.
template <bool kDevice, bool kWrite>
ASSAY_SIMT_INLINE bool access_half(HookState& s, uint64_t& word, uint64_t me, const void* pc) {
  const uint64_t half = word;
  const uint64_t site =
      half_site_entry(s, reinterpret_cast<uintptr_t>(pc)) ^ half_site(reinterpret_cast<uintptr_t>(pc), 0);
  if (site >= kHalfSites || site == 0 || !is_half(half)) return false;
  if (!kWrite && (half & kHalfInit) != kHalfInit) return false;
  const uint64_t tick = half & kTickMax << kTickShift;
  const uint64_t mine = kHalf | s.now | kHalfInit | site |
                        (kWrite ? me << kHalfWriterShift | kHalfHasWriter : me << kHalfReaderShift | kHalfHasReader);
  if (tick < s.barrier) {
    if (tick < s.block && (kDevice ? tick >= s.launch : !kWrite)) return false;
    if (kDevice && tick >= s.block && (half & kHalfCross) != 0) return false;
    const bool wrote = kDevice && tick >= s.block && (half & (kHalfWrote | kHalfHasWriter)) != 0;
    word = mine | (wrote ? kHalfWrote : 0);
    return true;
  }
  const bool written_by_me = (half >> kHalfWriterShift & 0x3ff) == me,
             read_by_me = (half >> kHalfReaderShift & 0x3ff) == me;
  if ((half & kHalfHasWriter) != 0 && !written_by_me) return false;
  if (!kWrite) return (half & kHalfMany) != 0 || ((half & kHalfHasReader) != 0 && read_by_me && tick == s.now);
  if ((half & (kHalfMany | kHalfCross)) != 0 || ((half & kHalfHasReader) != 0 && !read_by_me)) return false;
  word = mine | (half & kHalfWrote);
  return true;
}

__attribute__((noinline, cold)) void ask_for_switch() {
  if (!time_to_switch()) return;
  switch_to(give_way(current()));
  current()->site = kSiteBarrier;
}

// Accesses of the stack are not counted: those lie between the load and the store of an atomic, too.
ASSAY_SIMT_INLINE void count_access(HookState& s) {
  if (--s.until_switch == 0) [[unlikely]]
    ask_for_switch();
}

template <unsigned kBytes, Access kAccess>
ASSAY_SIMT_INLINE void access(const void* pointer, const void* pc) {
  HookState& s = hook_state;
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  constexpr unsigned kCells = kBytes < 4 ? 1 : kBytes / 4;
  const bool aligned = (address & (kBytes - 1)) == 0;
  if (const uintptr_t at = address - s.shared; at < s.shared_bytes) {
    count_access(s);
    const uint32_t me = this_thread(s);
    if (kBytes >= 4 && aligned) [[likely]] {
      Cell* const cells = s.shared_cells + at / 4;
      bool fine = true;
      for (unsigned i = 0; i < kCells; ++i)
        fine = fine && (kAccess == Access::read ? read_shared(s, cells[i], me, pc) : write_shared(s, cells[i], me, pc));
      if (fine) [[likely]]
        return;
    }
    if (kBytes == 2 && aligned) {
      auto* const halves = reinterpret_cast<uint64_t*>(s.shared_cells);
      if (access_half<false, kAccess == Access::write>(s, halves[at / 2], me, pc)) return;
    }
    return check_access(address, kBytes, kAccess, pc, me);
  }
  if (const uintptr_t at = address - s.arena; at < s.arena_bytes) {
    const Page page = s.pages[at >> kPageShift];
    count_access(s);
    if (kAccess == Access::read && page == Page::constant && aligned) return;
    const uint32_t me = this_thread(s);
    if (kBytes >= 4 && aligned && page != Page::unaddressable) [[likely]] {
      Cell* const cells = s.arena_cells + at / 4;
      bool fine = true;
      for (unsigned i = 0; i < kCells; ++i)
        fine = fine && (kAccess == Access::read ? read_global(s, cells[i], me, pc) : write_global(s, cells[i], me, pc));
      if (fine) [[likely]]
        return;
    }
    if (kBytes == 2 && aligned && page != Page::unaddressable) {
      auto* const halves = reinterpret_cast<uint64_t*>(s.arena_cells);
      if (access_half<true, kAccess == Access::write>(s, halves[at / 2], me, pc)) return;
    }
    return check_access(address, kBytes, kAccess, pc, me);
  }
  if (address - s.stacks < s.stacks_bytes) return;
  if (s.shared_bytes != 0) return check_access(address, kBytes, kAccess, pc, this_thread(s));
  if (kAccess == Access::write) host_stores(const_cast<void*>(pointer), kBytes);
}

// Accesses of any size and alignment, where the program promises none.
ASSAY_SIMT_INLINE void any_access(const void* pointer, size_t bytes, Access kind, const void* pc) {
  const HookState& s = hook_state;
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (bytes == 0 || address - s.stacks < s.stacks_bytes) return;
  if (s.shared_bytes != 0) return check_access(address, bytes, kind, pc, this_thread(s));
  if (kind == Access::write) host_stores(const_cast<void*>(pointer), bytes);
}

// Whether the copy may be made: one that may not could end the process before its finding is out.
ASSAY_SIMT_INLINE bool may_copy(void* to, const void* from, size_t bytes, CopyKind kind, const void* pc) {
  const HookState& s = hook_state;
  if (s.shared_bytes != 0) return bytes == 0 || check_copy(to, from, bytes, kind, pc, this_thread(s));
  host_stores(to, bytes);
  return true;
}

}  // namespace
}  // namespace assay::simt::checked

using assay::simt::checked::Access;
using assay::simt::checked::any_access;
using assay::simt::checked::CopyKind;
using assay::simt::checked::may_copy;

#define ASSAY_HOOK extern "C" __attribute__((used))
#define ASSAY_HOOKS(bytes)                                                              \
  ASSAY_HOOK void __tsan_read##bytes(void* p) {                                         \
    assay::simt::checked::access<bytes, Access::read>(p, __builtin_return_address(0));  \
  }                                                                                     \
  ASSAY_HOOK void __tsan_write##bytes(void* p) {                                        \
    assay::simt::checked::access<bytes, Access::write>(p, __builtin_return_address(0)); \
  }                                                                                     \
  ASSAY_HOOK void __tsan_unaligned_read##bytes(const void* p) {                         \
    any_access(p, bytes, Access::read, __builtin_return_address(0));                    \
  }                                                                                     \
  ASSAY_HOOK void __tsan_unaligned_write##bytes(void* p) {                              \
    any_access(p, bytes, Access::write, __builtin_return_address(0));                   \
  }
ASSAY_HOOKS(1)
ASSAY_HOOKS(2)
ASSAY_HOOKS(4)
ASSAY_HOOKS(8)
ASSAY_HOOKS(16)

ASSAY_HOOK void __tsan_read_range(void* p, unsigned long bytes) {
  any_access(p, bytes, Access::read, __builtin_return_address(0));
}
ASSAY_HOOK void __tsan_write_range(void* p, unsigned long bytes) {
  any_access(p, bytes, Access::write, __builtin_return_address(0));
}
ASSAY_HOOK void __tsan_func_entry(void*) {}
ASSAY_HOOK void __tsan_func_exit() {}
ASSAY_HOOK void __tsan_init() {}
ASSAY_HOOK void __tsan_vptr_update(void** p, void*) {
  any_access(p, sizeof *p, Access::write, __builtin_return_address(0));
}
ASSAY_HOOK void __tsan_vptr_read(void** p) { any_access(p, sizeof *p, Access::read, __builtin_return_address(0)); }

// Copies of kernels (include/simt/copies.h); clang's copies of structures too, which g++ announces as ranges.
ASSAY_HOOK void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  return may_copy(to, from, bytes, CopyKind::copy, __builtin_return_address(0)) ? __builtin_memcpy(to, from, bytes)
                                                                                : to;
}
ASSAY_HOOK void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  return may_copy(to, from, bytes, CopyKind::move, __builtin_return_address(0)) ? __builtin_memmove(to, from, bytes)
                                                                                : to;
}
ASSAY_HOOK void* __tsan_memset(void* to, int value, size_t bytes) {
  return may_copy(to, nullptr, bytes, CopyKind::fill, __builtin_return_address(0)) ? __builtin_memset(to, value, bytes)
                                                                                   : to;
}

// The compiler's own atomics. Kernels use CUDA's, which go through simt/checked_calls.h; these are what a kernel or a
// header of the host reaches with __atomic builtins.
#define ASSAY_ATOMIC_HOOKS(bits, T)                                                                        \
  ASSAY_HOOK T __tsan_atomic##bits##_load(const volatile T* p, int) {                                      \
    any_access(const_cast<const T*>(p), sizeof(T), Access::atomic, __builtin_return_address(0));           \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                           \
  }                                                                                                        \
  ASSAY_HOOK void __tsan_atomic##bits##_store(volatile T* p, T value, int) {                               \
    any_access(const_cast<const T*>(p), sizeof(T), Access::atomic, __builtin_return_address(0));           \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                          \
  }                                                                                                        \
  ASSAY_ATOMIC_UPDATE(bits, T, exchange, __atomic_exchange_n)                                              \
  ASSAY_ATOMIC_UPDATE(bits, T, fetch_add, __atomic_fetch_add)                                              \
  ASSAY_ATOMIC_UPDATE(bits, T, fetch_sub, __atomic_fetch_sub)                                              \
  ASSAY_ATOMIC_UPDATE(bits, T, fetch_and, __atomic_fetch_and)                                              \
  ASSAY_ATOMIC_UPDATE(bits, T, fetch_or, __atomic_fetch_or)                                                \
  ASSAY_ATOMIC_UPDATE(bits, T, fetch_xor, __atomic_fetch_xor)                                              \
  ASSAY_HOOK int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* old, T value, int, int) { \
    any_access(const_cast<const T*>(p), sizeof(T), Access::atomic, __builtin_return_address(0));           \
    return __atomic_compare_exchange_n(p, old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);          \
  }                                                                                                        \
  ASSAY_HOOK int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* old, T value, int, int) {   \
    any_access(const_cast<const T*>(p), sizeof(T), Access::atomic, __builtin_return_address(0));           \
    return __atomic_compare_exchange_n(p, old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);          \
  }                                                                                                        \
  ASSAY_HOOK T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T old, T value, int, int) {       \
    any_access(const_cast<const T*>(p), sizeof(T), Access::atomic, __builtin_return_address(0));           \
    __atomic_compare_exchange_n(p, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
    return old;                                                                                            \
  }
#define ASSAY_ATOMIC_UPDATE(bits, T, name, builtin)                                              \
  ASSAY_HOOK T __tsan_atomic##bits##_##name(volatile T* p, T value, int) {                       \
    any_access(const_cast<const T*>(p), sizeof(T), Access::atomic, __builtin_return_address(0)); \
    return builtin(p, value, __ATOMIC_SEQ_CST);                                                  \
  }
ASSAY_ATOMIC_HOOKS(8, uint8_t)
ASSAY_ATOMIC_HOOKS(16, uint16_t)
ASSAY_ATOMIC_HOOKS(32, uint32_t)
ASSAY_ATOMIC_HOOKS(64, uint64_t)
ASSAY_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
ASSAY_HOOK void __tsan_atomic_signal_fence(int) {}

// -fsanitize=bounds,alignment: indices out of arrays of constant size, and pointers that lack their type's alignment.
ASSAY_HOOK void __ubsan_handle_out_of_bounds(void* data, unsigned long index) {
  using namespace assay::simt::checked;
  if (hook_state.shared_bytes != 0)
    index_out_of_bounds(data, index, __builtin_return_address(0), this_thread(hook_state));
}
ASSAY_HOOK void __ubsan_handle_type_mismatch_v1(void* data, unsigned long pointer) {
  using namespace assay::simt::checked;
  if (hook_state.shared_bytes != 0)
    pointer_misaligned(data, pointer, __builtin_return_address(0), this_thread(hook_state));
}

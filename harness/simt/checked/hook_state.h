// The state that the hooks of a checked kernel module read on every access, and the functions they call beyond it.
//
// All ranges are empty while no checked launch runs, so that host code of a module passes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/simt/checked/shadow.h"

namespace assay::simt::checked {

// The state of a page of the device's memory, for the hooks.
enum class Page : uint8_t {
  unaddressable,
  constant,     // wholly inside an input: reads need no record
  initialised,  // belongs to a buffer that starts with values
  fresh,        // belongs to a buffer whose elements must be written before they are read
};
inline constexpr unsigned kPageShift = 12;
inline constexpr size_t kPageBytes = size_t{1} << kPageShift;

struct HookState {
  uintptr_t shared = 0, shared_bytes = 0;  // of the launched kernel's module; empty: nothing is checked
  uintptr_t arena = 0, arena_bytes = 0;    // the memory of the device
  uintptr_t stacks = 0, stacks_bytes = 0;  // of the fibers
  Cell* shared_cells = nullptr;
  Cell* arena_cells = nullptr;
  const Page* pages = nullptr;
  // Ticks, shifted to where records have theirs: now, of the last barrier, of the block's and the launch's begin.
  uint64_t now = 0, barrier = 0, block = 0, launch = 0;
  // Numbers of the sites of part-word accesses, by their last bits; the site and the number are one word.
  uint64_t half_sites[64] = {};
  uint32_t until_switch = 0;  // accesses until the schedule is asked whether another thread goes on (switching.h)
  uint32_t stride_y = 0, stride_z = 0;  // thread index = x + y stride_y + z stride_z
};

inline uint64_t& half_site_entry(HookState& s, uint64_t pc) { return s.half_sites[pc >> 1 & 63]; }
inline constexpr uint64_t half_site(uint64_t pc, uint32_t number) { return pc << 7 | number; }

enum class Access : uint8_t { read, write, atomic };

#pragma GCC visibility push(default)
extern constinit HookState hook_state;
// Does everything the fast path does and everything that it leaves out. `pc` is the return address of the hook.
void check_access(uintptr_t address, size_t bytes, Access access, const void* pc, uint32_t thread);
enum class CopyKind : uint8_t { copy, move, fill };
// False: a part lies where it may not, and the copy must not be made.
bool check_copy(void* to, const void* from, size_t bytes, CopyKind kind, const void* pc, uint32_t thread);
// Host code stores; it need not be to the device's memory.
void host_stores(void* to, size_t bytes);
bool time_to_switch();
void index_out_of_bounds(const void* data, uint64_t index, const void* pc, uint32_t thread);
void pointer_misaligned(const void* data, uintptr_t pointer, const void* pc, uint32_t thread);
#pragma GCC visibility pop

}  // namespace assay::simt::checked

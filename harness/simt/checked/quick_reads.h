// The usual case of a read of device memory, for the hooks (hooks.cpp) and for the executor's own instructions.
//
// True: nothing is wrong, and the record is updated. False: nothing was done, and the monitor decides.
#pragma once

#include "harness/simt/checked/hook_state.h"
#include "harness/simt/include/simt/fiber.h"

namespace assay::simt::checked {

ASSAY_SIMT_INLINE uint64_t record(const HookState& s, uint64_t me, const void* pc) {
  return s.now | me << kThreadShift | (reinterpret_cast<uintptr_t>(pc) & kSiteMask);
}

// Whether an access of this block need not fear the record: it is older than its last barrier, or the thread's own.
// Shared memory has no more than that, because records of earlier blocks are older still.
ASSAY_SIMT_INLINE bool settled_shared(const HookState& s, uint64_t record, uint64_t me) {
  return record < s.barrier || (record >> kThreadShift & kThreadMask) == me;
}

// Device memory: what another block of this launch did is younger than the launch and older than the block.
ASSAY_SIMT_INLINE bool settled_global(const HookState& s, uint64_t record, uint64_t me) {
  if (record < s.launch) return true;
  if (record < s.block || (record & kCross) != 0) return false;
  return record < s.barrier || (record >> kThreadShift & kThreadMask) == me;
}

ASSAY_SIMT_INLINE bool read_global(const HookState& s, Cell& cell, uint64_t me, const void* pc) {
  const uint64_t write = cell.write, read = cell.read;
  if (write == 0 || !settled_global(s, write, me)) return false;
  if (read < s.launch)
    cell.read = record(s, me, pc);
  else if (settled_shared(s, read, me))
    cell.read = record(s, me, pc) | (read < s.block ? kCross : read & kCross);
  else if ((read & kWide) == 0)
    return false;
  return true;
}

// The read of a texel. One of less than a word leaves no record: that would be of its neighbours too, and the first
// write of them a race. So a later write by another thread goes unseen until somebody reads what it wrote.
inline bool read_texel(const HookState& s, uintptr_t address, size_t bytes, uint64_t me, const void* pc) {
  const uintptr_t at = address - s.arena;
  if (at >= s.arena_bytes || s.pages[at >> kPageShift] == Page::unaddressable) return false;
  Cell* const cells = s.arena_cells + at / 4;
  if (bytes < 4) return at % 4 + bytes <= 4 && cells->write != 0 && cells->write < s.launch;
  if (at % 4 != 0) return false;
  for (size_t i = 0; i < bytes / 4; ++i)
    if (!read_global(s, cells[i], me, pc)) return false;
  return true;
}

}  // namespace assay::simt::checked

// The memory of one block: thread records in ring order, and the bookkeeping of warp operations.
//
// The ring is [head][threads…][end]. The head stands in front of the first thread so that "the thread before me" always
// exists; the end leads to the scheduler. The threads of a warp are neighbours. A record that must not run now has a
// stub for a resume address:
//   dead, parked   step to the next record
//   start          the thread has not begun: call the kernel, on the stack that the record names
//   to_scheduler   return from run_ring()
//   ring_end       the last record's: to_scheduler, unless every thread waits at one barrier and it can start over at
//   once
// The scheduler looks at a warp when the ring comes to its end by lending the record that follows it to_scheduler.
#pragma once

#include <array>
#include <cstdint>

#include "harness/simt/include/simt/fiber.h"
#include "harness/simt/include/simt/warp_op.h"
#include "harness/simt/runtime/executor.h"

namespace assay::simt {

inline constexpr uint32_t kLanes = 32;
inline constexpr uint32_t kWarpsMax = kThreadsMax / kLanes;

struct Ring {
  static constexpr size_t kBeyond = 16;  // a switch looks ahead of the record it goes to
  std::array<Fiber, 1 + kThreadsMax + 1 + kBeyond> records{};
  Fiber* begin() { return &records[1]; }
};

// The operands that the lanes of one warp brought to warp operations; indexed by lane.
struct Warp {
  Fiber* begin = nullptr;  // its place in the ring of this interval
  Fiber* end = nullptr;
  uint32_t exists = 0;   // lanes that the block has
  uint32_t live = 0;     // and of these, the ones that have not returned
  uint32_t arrived = 0;  // wait in an operation that is not complete
  bool parked = false;   // some lane has been parked since the last barrier
  bool uniform = true;   // all that have arrived brought common_mask and common_op
  uint32_t common_mask = 0;
  WarpOp common_op = WarpOp::sync;
  void* lent_pc = nullptr;  // the resume address of *end while it leads to the scheduler; nullptr otherwise
  std::array<uint32_t, kLanes> masks{};
  std::array<WarpOp, kLanes> ops{};
  std::array<const void*, kLanes> callers{};  // where the kernel calls the operation
  std::array<uint64_t, kLanes> values{};
  std::array<uint8_t, kLanes> sources{};
  std::array<uint64_t, kLanes> results{};
};

// The record that a lane has brought to WarpOp::call.
inline const WarpCall& brought(const Warp& warp, size_t lane) {
  return *reinterpret_cast<const WarpCall*>(warp.values[lane]);
}

// The resume addresses of the stubs above. They are compared, never called.
extern "C" {
void assay_simt_dead();
void assay_simt_parked();
void assay_simt_to_scheduler();
void assay_simt_ring_end();
void assay_simt_start();
}

inline void* stub(void (*code)()) { return reinterpret_cast<void*>(code); }

inline bool is_dead(const Fiber& fiber) { return fiber.pc == stub(assay_simt_dead); }

// Linear index of a thread in its block, and its lane.
inline uint32_t linear_index(const uint3& thread, const dim3& dim) {
  return thread.x + dim.x * (thread.y + dim.y * thread.z);
}
inline uint32_t lane_of(const Fiber& fiber) { return linear_index(fiber.thread_idx, block.block_dim) % kLanes; }

}  // namespace assay::simt

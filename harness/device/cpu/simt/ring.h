// The memory of one block: thread records in ring order, one segment for each warp, and the bookkeeping of warp
// operations.
//
// A segment is [head][lanes…][sentinel, two records long]. The head stands in front of the first lane so that "the
// thread before me" always exists. A record that must not run now has a stub for a resume address:
//   dead, parked   step to the next record
//   next_warp      go to the next segment in the order of this interval
//   loop_back      every lane of this warp was released: run the segment again, once
//   to_scheduler   return from run_ring()
//   start          the thread has not begun: give it a stack and call the kernel
#pragma once

#include <array>
#include <cstdint>

#include "harness/device/cpu/include/simt/fiber.h"
#include "harness/device/cpu/include/simt/warp_op.h"

namespace assay::simt {

inline constexpr int kLanes = 32;
inline constexpr int kWarpsMax = 32;

// The sentinel after a warp's last lane; sp and pc mean what they mean in a Fiber. The assembly knows the offsets.
struct alignas(32) Sentinel {
  void* sp;
  void* pc;
  Fiber* next;  // first lane of the next warp; nullptr in the last one
  void* unused;
  Fiber* begin;      // first lane of this warp
  void* default_pc;  // next_warp, or to_scheduler in the last warp
};
static_assert(sizeof(Sentinel) == 2 * sizeof(Fiber) && offsetof(Sentinel, next) == 16 &&
              offsetof(Sentinel, begin) == 32 && offsetof(Sentinel, default_pc) == 40);

struct Segment {
  std::array<Fiber, 1 + kLanes + 2> records;
  Fiber* head() { return &records[0]; }
  Fiber* begin() { return &records[1]; }
};

// What the lanes of one warp brought to warp operations; indexed by lane unless said otherwise.
struct Warp {
  Segment* segment = nullptr;
  Sentinel* sentinel = nullptr;
  uint32_t exists = 0;   // lanes that the block has
  uint32_t live = 0;     // and of these, the ones that have not returned
  uint32_t arrived = 0;  // wait in an operation that is not complete
  bool pending = false;  // the scheduler must look at the warp when its sentinel is reached
  bool uniform = true;   // all that have arrived brought common_mask and common_op
  uint32_t common_mask = 0;
  WarpOp common_op = WarpOp::sync;
  std::array<uint32_t, kLanes> masks{};
  std::array<WarpOp, kLanes> ops{};
  std::array<uint64_t, kLanes> values{};
  std::array<uint8_t, kLanes> sources{};
  std::array<uint64_t, kLanes> results{};
  std::array<void*, kLanes> parked_pc{};  // by place in the segment; nullptr: not parked

  Fiber* begin() const { return segment->begin(); }
  Fiber* end() const { return reinterpret_cast<Fiber*>(sentinel); }
};

// The resume addresses of the stubs above. They are compared, never called.
extern "C" {
void assay_simt_dead();
void assay_simt_parked();
void assay_simt_next_warp();
void assay_simt_loop_back();
void assay_simt_to_scheduler();
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

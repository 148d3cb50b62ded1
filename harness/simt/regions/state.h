// The data that the code of a split kernel and the executor share: which threads run, in which order, and the operands
// of warp operations.
//
// The pass (plugin.cpp) knows these structures by offsetof(), and the executor (runtime/split_kernels.cpp) fills them.
// A split kernel runs on one fiber, so there is one state for the process. Kernel files never see this header.
#pragma once

#include <cstdint>

namespace assay::simt::regions {

inline constexpr uint32_t kThreads = 1024, kLanesOfWarp = 32, kGroups = kThreads / kLanesOfWarp;

// Threads that run one after another, with ascending threadIdx.x in one row of the block. Threads are numbered x first,
// then y, then z.
struct Segment {
  uint32_t first, count;
  uint32_t x, y, z;  // of the first
  uint32_t spare;
};

// A group is what a piece runs for before anything else happens: the block, or where a kernel has warp operations one
// warp. It is some segments, so every order of threads is possible; those of few segments run as counted loops.
struct State {
  const Segment* segments;
  const uint32_t* begin;  // where each group's segments begin
  const uint32_t* end;    // and end
  uint32_t groups;
  uint32_t renews;    // 1: the order changes at barriers
  uint8_t* returned;  // 1: the thread has returned
  uint16_t* place;    // the point at which a thread has stopped, where a piece may end at several
  char* fibers;       // a record (include/simt/fiber.h) for each thread
  uint32_t thread;    // that calls a function of the executor
  uint32_t spare;
  uint64_t values[kLanesOfWarp];   // operands of the warp operation that a warp has come to
  uint64_t results[kLanesOfWarp];  // and what the operation gives each lane
  uint32_t masks[kLanesOfWarp];
  uint32_t sources[kLanesOfWarp];
};

// How a kernel of a module was split, or why it was not. The module's constructor hands a table of these to
// assay_simt_regions_register().
struct SplitKernel {
  const void* kernel;      // its address, as launches name it
  const void* split;       // the function for a whole block, of the same type; nullptr: refused
  uint64_t context_bytes;  // that the function keeps there
  uint32_t by_warps;       // 1: a group is a warp, and threadIdx.y and .z are taken for equal in one
  uint32_t pieces;
  uint64_t threads_max;  // that __launch_bounds__ declares; 0: it does not
  const char* reason;    // why it is refused; "" if it is not
  uint64_t checks;       // 1: the function looks at its accesses (../sieve), and runs for that alone
};

}  // namespace assay::simt::regions

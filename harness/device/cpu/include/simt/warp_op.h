// The operations in which the lanes of a warp meet, and the one function that all of them go through.
#pragma once

#include <cstdint>

namespace assay::simt {

enum class WarpOp : uint8_t {
  sync,
  shuffle,
  ballot,
  all,
  any,
  match_any,
  match_all,
  add,
  min_signed,
  min_unsigned,
  max_signed,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor,
};

struct Fiber;

#pragma GCC visibility push(default)
struct Arrival {
  const uint64_t* result;  // of the operation, once the caller runs again
  Fiber* next;             // what the caller must switch to
};
// Brings the calling lane to an operation of the lanes in `mask`: its operand, and for shuffles the lane it reads.
Arrival warp_arrive(Fiber* me, uint32_t mask, WarpOp op, uint64_t value, uint32_t source);

uint32_t warp_live_lanes(const Fiber* me);  // lanes of the caller's warp that have not returned
#pragma GCC visibility pop

}  // namespace assay::simt

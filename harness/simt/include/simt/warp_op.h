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
  converged,
  call,
};

struct Fiber;
struct WarpCall;

// A function that the last lane to come runs for the whole warp (WarpOp::call).
struct WarpFunction {
  const char* name;                                 // as findings name it
  void (*run)(const WarpCall* const (&lanes)[32]);  // gets what each lane brought
};

// The record that a lane brings to WarpOp::call: the operand is a pointer to it, in the lane's own stack frame. Each
// operation extends it by its operands and by where results go.
struct WarpCall {
  const WarpFunction* function;
};

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

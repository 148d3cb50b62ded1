// Functions of instructions that stay functions, though kernels are flattened (fiber.h).
//
// A kernel that tensor cores unroll has thousands of shuffles, products and roundings, and the host compiler takes
// minutes for as many copies. Where the executor would know an operation by its return address, that of the function's
// own caller stands in for it: findings name the kernel's line.
#pragma once

#include "harness/simt/include/ptx/apart_calls.h"
#include "harness/simt/include/simt/warp.h"

#define ASSAY_PTX_APART __attribute__((noinline))
// For functions in which threads are switched: they return as kernels do (ASSAY_SIMT_KERNEL). Others must not: that
// return takes rcx, which g++ leaves to its callers where it sees that a function in this file does not touch it.
#if defined(__x86_64__) && !defined(__clang__)
#define ASSAY_PTX_APART_SWITCHING __attribute__((noinline, function_return("thunk-extern")))
#else
#define ASSAY_PTX_APART_SWITCHING __attribute__((noinline))
#endif

namespace assay::simt {

ASSAY_SIMT_INLINE uint64_t collective_from(const void* caller, unsigned mask, WarpOp op, uint64_t value,
                                           unsigned source = 0) {
  const Arrival arrival = warp_arrive_from(caller, current(), mask, op, value, source);
  switch_to(arrival.next);
  quiet_store(current()->site, kSiteBarrier);
  return quiet_load(*arrival.result);
}

}  // namespace assay::simt

// EXPECT: PASS: float atomics take subnormals for 0 in global memory, as REDG and ATOMG do, and not in shared memory.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

constexpr float kSubnormalTerm = 1e-40f, kLeastNormal = 0x1p-126f;

struct Sums {
  float from_zero, from_subnormal, to_subnormal, normal, in_shared;
};

__global__ void add_subnormals(Sums* c) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, kSubnormalTerm);
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicAdd(&c->from_zero, kSubnormalTerm);
  atomicAdd(&c->from_subnormal, 1.0f);
  atomicAdd(&c->to_subnormal, -kLeastNormal);
  atomicAdd(&c->normal, kLeastNormal);
  c->in_shared = sum;
}

ASSAY_KERNEL_TEST(float_atomics_flush) {
  Sums c{.from_zero = 0,
         .from_subnormal = kSubnormalTerm,
         .to_subnormal = 1.5f * kLeastNormal,
         .normal = kLeastNormal,
         .in_shared = 0};
  launch_kernel(add_subnormals, {1, 2}, &c);
  const bool global = c.from_zero == 0 && c.from_subnormal == 1 && c.to_subnormal == 0 && c.normal == 2 * kLeastNormal;
  return global && c.in_shared == 2 * kSubnormalTerm ? "" : "a sum is wrong";
}

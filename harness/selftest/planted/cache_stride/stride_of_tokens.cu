// EXPECT: INPUT_CHANGED PROPERTY. Heads are taken to lie as many slots apart as there are tokens.
// SMALLEST: HK=2 capacity=2 ad=1 pad=0 slot=0 block=32
// TWIN: right.
#include "harness/selftest/caches.cuh"

__global__ void write(assay::selftest::Slot s) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= s.heads * s.lanes) return;
  const int64_t h = i / s.lanes, d = i % s.lanes;
  const int64_t slots = ASSAY_PLANTED ? s.slot + 1 : s.capacity;
  s.cache[(h * slots + s.slot) * s.lanes + d] = d < s.dim ? s.row[i] : 0;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "kv_cache_write",
                              .name = ASSAY_PLANTED ? "stride_of_tokens" : "stride_of_capacity",
                              .run = assay::selftest::run_slots<write>});

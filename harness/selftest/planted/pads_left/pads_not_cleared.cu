// EXPECT: UNWRITTEN. Only the true lanes are copied, and the slot's padding stays what it was.
// SMALLEST: HK=1 capacity=1 ad=2 pad=1 slot=0 block=32
// TWIN: right.
#include "harness/selftest/caches.cuh"

__global__ void write(assay::selftest::Slot s) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= s.heads * s.lanes) return;
  const int64_t h = i / s.lanes, d = i % s.lanes;
  float* to = s.cache + (h * s.capacity + s.slot) * s.lanes + d;
  if (d < s.dim)
    *to = s.row[i];
  else if (!ASSAY_PLANTED)
    *to = 0;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "kv_cache_write",
                              .name = ASSAY_PLANTED ? "pads_not_cleared" : "pads_cleared",
                              .run = assay::selftest::run_slots<write>});

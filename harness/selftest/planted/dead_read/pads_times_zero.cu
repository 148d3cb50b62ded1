// EXPECT: NONFINITE. The padding of a row is multiplied by 0, which makes 0 of numbers and NaN of what is there.
// SMALLEST: HK=1 capacity=1 ad=2 pad=1 slot=0 block=32
// TWIN: right.
#include "harness/selftest/caches.cuh"

__global__ void write(assay::selftest::Slot s) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= s.heads * s.lanes) return;
  const int64_t h = i / s.lanes, d = i % s.lanes;
  float value = 0;
  if (ASSAY_PLANTED || d < s.dim) value = s.row[i];
  s.cache[(h * s.capacity + s.slot) * s.lanes + d] = value * (d < s.dim ? 1 : 0);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "kv_cache_write",
                              .name = ASSAY_PLANTED ? "pads_times_zero" : "pads_not_read",
                              .run = assay::selftest::run_slots<write>});

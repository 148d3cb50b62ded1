// EXPECT: INPUT_CHANGED. The slot behind the token's is cleared too, to be ready for the next one.
// SMALLEST: HK=1 capacity=2 ad=1 pad=0 slot=0 block=32
// TWIN: right.
#include "harness/selftest/caches.cuh"

__global__ void write(assay::selftest::Slot s) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= s.heads * s.lanes) return;
  const int64_t h = i / s.lanes, d = i % s.lanes;
  float* to = s.cache + (h * s.capacity + s.slot) * s.lanes + d;
  *to = d < s.dim ? s.row[i] : 0;
  if (ASSAY_PLANTED && s.slot + 1 < s.capacity) to[s.lanes] = 0;
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "kv_cache_write",
                              .name = ASSAY_PLANTED ? "next_slot_cleared" : "next_slot_left",
                              .run = assay::selftest::run_slots<write>});

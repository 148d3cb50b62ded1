// EXPECT: UNWRITTEN. Only the true lanes are copied, and the slot's padding stays what it was.
// SMALLEST: HK=1 capacity=1 ad=2 pad=1 slot=0 block=32
// TWIN: right.
#include "harness/selftest/caches.cuh"

namespace {

__global__ void write(assay::selftest::Slot s) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= s.heads * s.lanes) return;
  const int64_t h = i / s.lanes, d = i % s.lanes;
#if ASSAY_PLANTED
  if (d < s.dim) s.cache[(h * s.capacity + s.slot) * s.lanes + d] = s.row[i];
#else
  float* to = s.cache + (h * s.capacity + s.slot) * s.lanes + d;
  if (d < s.dim)
    *to = s.row[i];
  else
    *to = 0;
#endif
}

void run(assay::Call& call) { assay::selftest::launch_slots(call, write); }

const assay::RegisterVariant kVariant({.op = "kv_cache_write",
                                       .name = ASSAY_PLANTED ? "pads_not_cleared" : "pads_cleared",
                                       .summary = ASSAY_PLANTED ? "does not clear the padding of the slot"
                                                                : "clears the padding of the slot",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

// EXPECT: NONFINITE. The padding of a row is multiplied by 0, which makes 0 of numbers and NaN of what is there.
// SMALLEST: HK=1 capacity=1 ad=2 pad=1 slot=0 block=32
// TWIN: right.
#include "harness/selftest/caches.cuh"

namespace {

__global__ void write(assay::selftest::Slot s) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= s.heads * s.lanes) return;
  const int64_t h = i / s.lanes, d = i % s.lanes;
#if ASSAY_PLANTED
  const float is_true = d < s.dim ? 1 : 0;
  s.cache[(h * s.capacity + s.slot) * s.lanes + d] = s.row[i] * is_true;
#else
  float value = 0;
  if (d < s.dim) value = s.row[i];
  s.cache[(h * s.capacity + s.slot) * s.lanes + d] = value;
#endif
}

void run(assay::Call& call) { assay::selftest::launch_slots(call, write); }

const assay::RegisterVariant kVariant({.op = "kv_cache_write",
                                       .name = ASSAY_PLANTED ? "pads_times_zero" : "pads_not_read",
                                       .summary = ASSAY_PLANTED ? "reads the padding and multiplies it by 0"
                                                                : "leaves the padding unread",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

// EXPECT: PASS
#include "harness/selftest/caches.cuh"

namespace {

__global__ void write(assay::selftest::Slot s) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= s.heads * s.lanes) return;
  const int64_t h = i / s.lanes, d = i % s.lanes;
  float value = 0;
  if (d < s.dim) value = s.row[i];
  s.cache[(h * s.capacity + s.slot) * s.lanes + d] = value;
}

void run(assay::Call& call) { assay::selftest::launch_slots(call, write); }

const assay::RegisterVariant kVariant({.op = "kv_cache_write",
                                       .name = "pads_not_read",
                                       .summary = "leaves the padding unread",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

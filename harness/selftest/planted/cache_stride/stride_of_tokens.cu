// EXPECT: INPUT_CHANGED PROPERTY. Heads are taken to lie as many slots apart as there are tokens.
// SMALLEST: HK=2 capacity=2 ad=1 pad=0 slot=0 block=32
// TWIN: right.
#include "harness/selftest/caches.cuh"

namespace {

__global__ void write(assay::selftest::Slot s) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= s.heads * s.lanes) return;
  const int64_t h = i / s.lanes, d = i % s.lanes;
#if ASSAY_PLANTED
  const int64_t tokens = s.slot + 1;
  s.cache[(h * tokens + s.slot) * s.lanes + d] = d < s.dim ? s.row[i] : 0;
#else
  s.cache[(h * s.capacity + s.slot) * s.lanes + d] = d < s.dim ? s.row[i] : 0;
#endif
}

void run(assay::Call& call) { assay::selftest::launch_slots(call, write); }

const assay::RegisterVariant kVariant({.op = "kv_cache_write",
                                       .name = ASSAY_PLANTED ? "stride_of_tokens" : "stride_of_capacity",
                                       .summary = ASSAY_PLANTED ? "heads lie as many slots apart as there are tokens"
                                                                : "heads lie as many slots apart as the cache has",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

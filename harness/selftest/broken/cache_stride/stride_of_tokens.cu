// EXPECT: INPUT_CHANGED PROPERTY. Heads are taken to lie as many slots apart as there are tokens.
// SMALLEST: HK=2 capacity=2 ad=1 pad=0 slot=0 block=32
#include "harness/selftest/caches.cuh"

namespace {

__global__ void write(assay::selftest::Slot s) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= s.heads * s.lanes) return;
  const int64_t h = i / s.lanes, d = i % s.lanes;
  const int64_t tokens = s.slot + 1;
  s.cache[(h * tokens + s.slot) * s.lanes + d] = d < s.dim ? s.row[i] : 0;
}

void run(assay::Call& call) { assay::selftest::launch_slots(call, write); }

const assay::RegisterVariant kVariant({.op = "kv_cache_write",
                                       .name = "stride_of_tokens",
                                       .summary = "heads lie as many slots apart as there are tokens",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

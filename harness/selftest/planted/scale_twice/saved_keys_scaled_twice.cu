// EXPECT: MISMATCH PROPERTY. dk is multiplied by the scale of the scores twice.
// SMALLEST: T=2 H=1 HK=1 ad=2 pad=0 block=32
// TWIN: dk is multiplied by the scale of the scores once.
#include "harness/selftest/backward_saved.cuh"

namespace {

__global__ void key_lanes(assay::selftest::SavedBackward in) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#if ASSAY_PLANTED
  if (n < in.a.kv_heads * in.a.keys * in.stride) in.key_lane(n, in.a.heads / in.a.kv_heads, in.a.scale * in.a.scale);
#else
  if (n < in.a.kv_heads * in.a.keys * in.stride) in.key_lane(n, in.a.heads / in.a.kv_heads, in.a.scale);
#endif
}

void run(assay::Call& call) { assay::selftest::launch_saved_backward(call, key_lanes); }

const assay::RegisterVariant kVariant({.op = "attention_backward_saved",
                                       .name = ASSAY_PLANTED ? "saved_keys_scaled_twice" : "saved_keys_scaled_once",
                                       .summary = ASSAY_PLANTED ? "multiplies dk by the scale of the scores twice"
                                                                : "multiplies dk by the scale of the scores once",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

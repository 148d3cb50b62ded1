// EXPECT: MISMATCH PROPERTY. dk is multiplied by the scale of the scores twice.
// SMALLEST: T=2 H=1 HK=1 ad=2 pad=0 block=32
// TWIN: dk is multiplied by the scale of the scores once.
#include "harness/selftest/backward_saved.cuh"

__global__ void key_lanes(assay::selftest::SavedBackward in) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float scale = ASSAY_PLANTED ? in.a.scale * in.a.scale : in.a.scale;
  if (n < in.a.kv_heads * in.a.keys * in.stride) in.key_lane(n, in.a.heads / in.a.kv_heads, scale);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_backward_saved",
                              .name = ASSAY_PLANTED ? "saved_keys_scaled_twice" : "saved_keys_scaled_once",
                              .run = assay::selftest::run_saved_backward<key_lanes>});

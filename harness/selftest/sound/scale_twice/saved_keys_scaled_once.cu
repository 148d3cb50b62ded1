// EXPECT: PASS. dk is multiplied by the scale of the scores once.
#include "harness/selftest/backward_saved.cuh"

namespace {

__global__ void key_lanes(assay::selftest::SavedBackward in) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < in.a.kv_heads * in.a.keys * in.stride) in.key_lane(n, in.a.heads / in.a.kv_heads, in.a.scale);
}

void run(assay::Call& call) { assay::selftest::launch_saved_backward(call, key_lanes); }

const assay::RegisterVariant kVariant({.op = "attention_backward_saved",
                                       .name = "saved_keys_scaled_once",
                                       .summary = "multiplies dk by the scale of the scores once",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

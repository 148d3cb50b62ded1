// EXPECT: MISMATCH PROPERTY NONFINITE. dk and dv are those of the first query head of a group.
// SMALLEST: H=2 HK=1 ad=1 pad=0 block=32
#include "harness/selftest/backward_saved.cuh"

namespace {

__global__ void key_lanes(assay::selftest::SavedBackward in) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n < in.a.kv_heads * in.a.keys * in.stride) in.key_lane(n, 1, in.a.scale);
}

void run(assay::Call& call) { assay::selftest::launch_saved_backward(call, key_lanes); }

const assay::RegisterVariant kVariant({.op = "attention_backward_saved",
                                       .name = "keys_of_first_head",
                                       .summary = "dk and dv of the first query head of a group",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

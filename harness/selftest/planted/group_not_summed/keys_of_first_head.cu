// EXPECT: MISMATCH PROPERTY NONFINITE. dk and dv are those of the first query head of a group.
// SMALLEST: H=2 HK=1 ad=1 pad=0 block=32
// TWIN: dk and dv add up the query heads of a group.
#include "harness/selftest/backward_saved.cuh"

namespace {

__global__ void key_lanes(assay::selftest::SavedBackward in) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
#if ASSAY_PLANTED
  if (n < in.a.kv_heads * in.a.keys * in.stride) in.key_lane(n, 1, in.a.scale);
#else
  if (n < in.a.kv_heads * in.a.keys * in.stride) in.key_lane(n, in.a.heads / in.a.kv_heads, in.a.scale);
#endif
}

void run(assay::Call& call) { assay::selftest::launch_saved_backward(call, key_lanes); }

const assay::RegisterVariant kVariant({.op = "attention_backward_saved",
                                       .name = ASSAY_PLANTED ? "keys_of_first_head" : "keys_of_all_heads",
                                       .summary = ASSAY_PLANTED ? "dk and dv of the first query head of a group"
                                                                : "dk and dv of all query heads of a group",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

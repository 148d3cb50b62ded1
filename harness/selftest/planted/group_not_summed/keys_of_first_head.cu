// EXPECT: MISMATCH PROPERTY NONFINITE. dk and dv are those of the first query head of a group.
// SMALLEST: H=2 HK=1 ad=1 pad=0 block=32
// TWIN: dk and dv add up the query heads of a group.
#include "harness/selftest/backward_saved.cuh"

__global__ void key_lanes(assay::selftest::SavedBackward in) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t heads = ASSAY_PLANTED ? 1 : in.a.heads / in.a.kv_heads;
  if (n < in.a.kv_heads * in.a.keys * in.stride) in.key_lane(n, heads, in.a.scale);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "attention_backward_saved",
                              .name = ASSAY_PLANTED ? "keys_of_first_head" : "keys_of_all_heads",
                              .run = assay::selftest::run_saved_backward<key_lanes>});

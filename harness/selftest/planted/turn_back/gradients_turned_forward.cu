// EXPECT: MISMATCH PROPERTY. The gradients are turned as the forward turns, not back.
// SMALLEST: H=1 HK=1 ad=2 pad=0 direction=backward block=32
// TWIN: The gradients are turned back.
#include "harness/selftest/rope.cuh"

__global__ void turn(assay::device::RopeTensors<float> tensors, assay::device::RopeArgs a) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n >= (a.heads + a.kv_heads) * a.tokens * a.stride) return;
  if (ASSAY_PLANTED) a.sign = 1;
  assay::selftest::turn_lane(tensors, a, n);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "rope_qk",
                              .name = ASSAY_PLANTED ? "gradients_turned_forward" : "gradients_turned_back",
                              .run = assay::selftest::run_turns<turn>});

// EXPECT: MISMATCH PROPERTY. Tokens that do not begin at position 0, as one that is decoded, turn by the position
// before theirs. SMALLEST: T=1 H=1 HK=1 ad=2 pad=0 pos_offset=1 block=32
// TWIN: Tokens turn by their own positions, wherever they begin.
#include "harness/selftest/rope.cuh"

__global__ void turn(assay::device::RopeTensors<float> tensors, assay::device::RopeArgs a) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n >= (a.heads + a.kv_heads) * a.tokens * a.stride) return;
  if (ASSAY_PLANTED && a.position > 0) --a.position;
  assay::selftest::turn_lane(tensors, a, n);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "rope_qk",
                              .name = ASSAY_PLANTED ? "one_position_behind" : "own_position",
                              .run = assay::selftest::run_turns<turn>});

// EXPECT: MISMATCH PROPERTY. Tokens that do not begin at position 0, as one that is decoded, turn by the position
// before theirs. SMALLEST: T=1 H=1 HK=1 ad=2 pad=0 pos_offset=1 block=32
// TWIN: Tokens turn by their own positions, wherever they begin.
#include "harness/selftest/rope.cuh"

namespace {

__global__ void turn(assay::device::RopeTensors<float> tensors, assay::device::RopeArgs a) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n >= (a.heads + a.kv_heads) * a.tokens * a.stride) return;
#if ASSAY_PLANTED
  if (a.position > 0) --a.position;
#endif
  assay::selftest::turn_lane(tensors, a, n);
}

void run(assay::Call& call) { assay::selftest::launch_turns(call, turn); }

const assay::RegisterVariant kVariant({.op = "rope_qk",
                                       .name = ASSAY_PLANTED ? "one_position_behind" : "own_position",
                                       .summary = ASSAY_PLANTED ? "takes the position before a token for its own"
                                                                : "turns tokens by their own positions",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

// EXPECT: PASS. Tokens turn by their own positions, wherever they begin.
#include "harness/selftest/rope.cuh"

namespace {

__global__ void turn(assay::device::RopeTensors<float> tensors, assay::device::RopeArgs a) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n >= (a.heads + a.kv_heads) * a.tokens * a.stride) return;
  assay::selftest::turn_lane(tensors, a, n);
}

void run(assay::Call& call) { assay::selftest::launch_turns(call, turn); }

const assay::RegisterVariant kVariant({.op = "rope_qk",
                                       .name = "own_position",
                                       .summary = "turns tokens by their own positions",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

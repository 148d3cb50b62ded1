// EXPECT: MISMATCH INPUT_CHANGED UNWRITTEN PROPERTY. Heads of k lie as many slots apart as there are tokens.
// SMALLEST: HK=2 ad=2 pad=0 block=32
// BUGS: 2 because where keys turn in place, what lies between them changes too
// TWIN: Heads of k lie as many slots apart as the case has.
#include "harness/selftest/rope.cuh"

__global__ void turn(assay::device::RopeTensors<float> tensors, assay::device::RopeArgs a) {
  const int64_t n = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (n >= (a.heads + a.kv_heads) * a.tokens * a.stride) return;
  if (ASSAY_PLANTED) a.k_stride = a.tokens;
  assay::selftest::turn_lane(tensors, a, n);
}

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "rope_qk",
                              .name = ASSAY_PLANTED ? "keys_by_tokens" : "keys_by_slots",
                              .run = assay::selftest::run_turns<turn>});

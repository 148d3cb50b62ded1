// EXPECT: MISMATCH PROPERTY. The decay is added to the gradient, as in Adam, and so scaled by the moments.
// SMALLEST: N=1 block=32
#include "harness/selftest/adamw.cuh"

namespace {

struct Weight {
  // The weight before the step as p and as the master have it.
  __device__ float operator()(assay::device::AdamW step, float gradient, float, float kept, float& m, float& v) const {
    const float decayed = gradient + step.decay * kept / step.scale;
    step.decay = 0;
    return step.step(decayed, kept, m, v);
  }
};

void run(assay::Call& call) { assay::selftest::launch_adamw(call, Weight()); }

const assay::RegisterVariant kVariant({.op = "adamw",
                                       .name = "decay_in_gradient",
                                       .summary = "adds the decay to the gradient",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

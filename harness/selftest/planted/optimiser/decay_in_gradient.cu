// EXPECT: MISMATCH PROPERTY. The decay is added to the gradient, as in Adam, and so scaled by the moments.
// SMALLEST: N=1 block=32
// BUGS: 2 because with decay 0 only 0 times NaN shows
// TWIN: The decay is the weight's own, and the step starts from the master where there is one.
#include "harness/selftest/adamw.cuh"

namespace {

struct Weight {
  // The weight before the step as p and as the master have it.
  __device__ float operator()(assay::device::AdamW step, float gradient, float, float kept, float& m, float& v) const {
#if ASSAY_PLANTED
    const float decayed = gradient + step.decay * kept / step.scale;
    step.decay = 0;
    return step.step(decayed, kept, m, v);
#else
    return step.step(gradient, kept, m, v);
#endif
  }
};

void run(assay::Call& call) { assay::selftest::launch_adamw(call, Weight()); }

const assay::RegisterVariant kVariant({.op = "adamw",
                                       .name = ASSAY_PLANTED ? "decay_in_gradient" : "by_the_book",
                                       .summary = ASSAY_PLANTED ? "adds the decay to the gradient"
                                                                : "decays the master by itself",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

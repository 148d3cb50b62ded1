// EXPECT: MISMATCH PROPERTY. The decay is added to the gradient, as in Adam, and so scaled by the moments.
// SMALLEST: N=1 block=32
// BUGS: 2 because with decay 0 only 0 times NaN shows
// TWIN: The decay is the weight's own, and the step starts from the master where there is one.
#include "harness/selftest/adamw.cuh"

struct Weight {
  // The weight before the step as p and as the master have it.
  __device__ float operator()(assay::device::AdamW step, float gradient, float, float kept, float& m, float& v) const {
    const float decayed = gradient + step.decay * kept / step.scale;
    if (ASSAY_PLANTED) step.decay = 0;
    return step.step(ASSAY_PLANTED ? decayed : gradient, kept, m, v);
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "adamw",
                              .name = ASSAY_PLANTED ? "decay_in_gradient" : "by_the_book",
                              .run = assay::selftest::run_adamw<Weight>});

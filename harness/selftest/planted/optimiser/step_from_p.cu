// EXPECT: MISMATCH. The step starts from p, whose digits the master's rounding took, not from the master.
// SMALLEST: bf16 N=1 master=kept block=32
// TWIN: The step starts from the master.
#include "harness/selftest/adamw.cuh"

struct Weight {
  // The weight before the step as p and as the master have it.
  __device__ float operator()(assay::device::AdamW step, float gradient, float p, float kept, float& m,
                              float& v) const {
    return step.step(gradient, ASSAY_PLANTED ? p : kept, m, v);
  }
};

const assay::RegisterVariant kVariant =
    assay::selftest::planted({.op = "adamw",
                              .name = ASSAY_PLANTED ? "step_from_p" : "step_from_the_master",
                              .dtypes = {assay::DType::bf16},
                              .run = assay::selftest::run_adamw<Weight>});

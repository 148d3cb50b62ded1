// EXPECT: MISMATCH. The step starts from p, whose digits the master's rounding took, not from the master.
// SMALLEST: bf16 N=1 master=kept block=32
// TWIN: The step starts from the master.
#include "harness/selftest/adamw.cuh"

namespace {

struct Weight {
  // The weight before the step as p and as the master have it.
#if ASSAY_PLANTED
  __device__ float operator()(assay::device::AdamW step, float gradient, float p, float, float& m, float& v) const {
    return step.step(gradient, p, m, v);
#else
  __device__ float operator()(assay::device::AdamW step, float gradient, float, float kept, float& m, float& v) const {
    return step.step(gradient, kept, m, v);
#endif
  }
};

void run(assay::Call& call) { assay::selftest::launch_adamw(call, Weight()); }

const assay::RegisterVariant kVariant({.op = "adamw",
                                       .name = ASSAY_PLANTED ? "step_from_p" : "step_from_the_master",
                                       .summary = ASSAY_PLANTED ? "takes the rounded weight for the master"
                                                                : "takes the step from the master",
                                       .dtypes = {assay::DType::bf16},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

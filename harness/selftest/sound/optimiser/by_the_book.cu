// EXPECT: PASS. The decay is the weight's own, and the step starts from the master where there is one.
#include "harness/selftest/adamw.cuh"

namespace {

struct Weight {
  // The weight before the step as p and as the master have it.
  __device__ float operator()(assay::device::AdamW step, float gradient, float, float kept, float& m, float& v) const {
    return step.step(gradient, kept, m, v);
  }
};

void run(assay::Call& call) { assay::selftest::launch_adamw(call, Weight()); }

const assay::RegisterVariant kVariant({.op = "adamw",
                                       .name = "by_the_book",
                                       .summary = "decays the master by itself",
                                       .dtypes = {assay::DType::f32, assay::DType::bf16},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

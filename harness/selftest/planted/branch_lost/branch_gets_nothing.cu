// EXPECT: MISMATCH. The gradient goes down the stream only, and the branch gets zeros.
// SMALLEST: T=1 aE=1 block=32
// TWIN: right.
#include "harness/op/variant.h"

namespace {

__global__ void copy_gradients(const float* dout, float* da, float* db, int64_t count) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const float gradient = dout[i];
  da[i] = gradient;
#if ASSAY_PLANTED
  db[i] = 0;
#else
  db[i] = gradient;
#endif
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::launch(copy_gradients, {.grid = dim3(assay::ceil_div(count, call.block())), .block = dim3(call.block())},
                call.in<float>("dout"), call.out<float>("da"), call.out<float>("db"), count);
}

const assay::RegisterVariant kVariant({.op = "residual_add_backward",
                                       .name = ASSAY_PLANTED ? "branch_gets_nothing" : "both_branches",
                                       .summary = ASSAY_PLANTED ? "gives the branch no gradient"
                                                                : "gives both branches the gradient",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

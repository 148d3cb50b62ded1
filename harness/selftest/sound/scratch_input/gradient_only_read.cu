// EXPECT: PASS. The gradient that came in is only read.
#include "harness/op/variant.h"

namespace {

__global__ void copy_gradients(const float* dout, float* da, float* db, int64_t count) {  // dout, da, db: (count)
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const float gradient = dout[i];
  da[i] = gradient;
  db[i] = gradient;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::launch(copy_gradients, {.grid = dim3(assay::ceil_div(count, call.block())), .block = dim3(call.block())},
                call.in<float>("dout"), call.out<float>("da"), call.out<float>("db"), count);
}

const assay::RegisterVariant kVariant({.op = "residual_add_backward",
                                       .name = "gradient_only_read",
                                       .summary = "reads the gradient that it was given",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

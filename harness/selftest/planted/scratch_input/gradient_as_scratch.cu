// EXPECT: INPUT_CHANGED. The gradient that came in is taken for scratch memory, and cleared for what comes next.
// SMALLEST: T=1 aE=1 alias=none block=32
// TWIN: The gradient that came in is only read.
#include "harness/op/variant.h"

namespace {

#if ASSAY_PLANTED
__global__ void copy_gradients(float* dout, float* da, float* db, int64_t count) {  // dout, da, db: (count)
#else
__global__ void copy_gradients(const float* dout, float* da, float* db, int64_t count) {  // dout, da, db: (count)
#endif
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const float gradient = dout[i];
#if ASSAY_PLANTED
  dout[i] = 0;
#endif
  da[i] = gradient;
  db[i] = gradient;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::launch(copy_gradients, {.grid = dim3(assay::ceil_div(count, call.block())), .block = dim3(call.block())},
#if ASSAY_PLANTED
                const_cast<float*>(call.in<float>("dout")), call.out<float>("da"), call.out<float>("db"), count);
#else
                call.in<float>("dout"), call.out<float>("da"), call.out<float>("db"), count);
#endif
}

const assay::RegisterVariant kVariant({.op = "residual_add_backward",
                                       .name = ASSAY_PLANTED ? "gradient_as_scratch" : "gradient_only_read",
                                       .summary = ASSAY_PLANTED ? "clears the gradient that it was given"
                                                                : "reads the gradient that it was given",
                                       .dtypes = {assay::DType::f32},
                                       .blocks = {32, 64, 96, 128},
                                       .run = run});

}  // namespace

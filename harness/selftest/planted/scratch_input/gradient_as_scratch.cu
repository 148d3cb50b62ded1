// EXPECT: INPUT_CHANGED. The gradient that came in is taken for scratch memory, and cleared for what comes next.
// SMALLEST: T=1 aE=1 alias=none block=32
// TWIN: The gradient that came in is only read.
#include "harness/selftest/planted_kernel.cuh"

__global__ void copy_gradients(const float* dout, float* da, float* db, int64_t count) {  // dout, da, db: (count)
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const float gradient = dout[i];
  if (ASSAY_PLANTED) const_cast<float*>(dout)[i] = 0;
  da[i] = gradient;
  db[i] = gradient;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::launch(copy_gradients, assay::device::thread_for_each(call, count), call.in<float>("dout"),
                call.out<float>("da"), call.out<float>("db"), count);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "residual_add_backward", .name = ASSAY_PLANTED ? "gradient_as_scratch" : "gradient_only_read", .run = run});

// EXPECT: MISMATCH. The gradient goes down the stream only, and the branch gets zeros.
// SMALLEST: T=1 aE=1 block=32
// TWIN: right.
#include "harness/selftest/planted_kernel.cuh"

__global__ void copy_gradients(const float* dout, float* da, float* db, int64_t count) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const float gradient = dout[i];
  da[i] = gradient;
  db[i] = ASSAY_PLANTED ? 0 : gradient;
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::launch(copy_gradients, assay::device::thread_for_each(call, count), call.in<float>("dout"),
                call.out<float>("da"), call.out<float>("db"), count);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "residual_add_backward", .name = ASSAY_PLANTED ? "branch_gets_nothing" : "both_branches", .run = run});

// EXPECT: MISMATCH. From the fifth element on the stream is lost, and the branch goes on alone.
// SMALLEST: block=32
// TWIN: The stream is added everywhere.
#include "harness/selftest/planted_kernel.cuh"

__global__ void add(const float* a, const float* b, float* out, int64_t count) {  // a, b, out: (count)
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i < count) out[i] = ASSAY_PLANTED && i >= 4 ? b[i] : a[i] + b[i];
}

void run(assay::Call& call) {
  const int64_t count = call.dim("T") * call.dim("aE");
  if (count == 0) return;
  assay::launch(add, assay::device::thread_for_each(call, count), call.in<float>("a"), call.in<float>("b"),
                call.out<float>("out"), count);
}

const assay::RegisterVariant kVariant = assay::selftest::planted(
    {.op = "residual_add", .name = ASSAY_PLANTED ? "stream_lost" : "stream_added", .run = run});
